import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { language, switchLanguage } from '../../ui/language.ts'
import { useCart } from '../cart.ts'
import { useSettings } from '../settings.ts'
import { t } from '../text.ts'
import { AccountIcon, CartIcon, GridIcon } from './icons.tsx'
import css from './layout.module.css'
import { SearchBox } from './search-box.tsx'

const MAX_SHOWN = 99

export function Layout() {
  const { site_name: name = '', shop_company: company } = useSettings()
  const { pathname } = useLocation()
  const main = useRef<HTMLElement>(null)
  const shown = useRef(pathname)

  // A new page is read from its beginning, as after loading one.
  useEffect(() => {
    if (shown.current !== pathname) main.current?.focus({ preventScroll: true })
    shown.current = pathname
  }, [pathname])

  return (
    <>
      <a href="#main" className={css.skip}>
        {t.skip}
      </a>
      <header className={css.header}>
        <div className={css.bar}>
          <Link to="/" className={css.name}>
            {name || t.home}
          </Link>
          <Link to="/categories" className={css.catalogue}>
            <GridIcon />
            <span>{t.catalogue}</span>
          </Link>
          <SearchBox />
          <nav className={css.nav} aria-label={t.account}>
            <Link to="/account" className={css.icon}>
              <AccountIcon />
              <span>{t.account}</span>
            </Link>
            <CartLink />
          </nav>
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1} className={css.main}>
        <Outlet />
      </main>
      <footer className={css.footer}>
        <div className={css.bar}>
          <span>{company || name}</span>
          <Link to="/categories">{t.catalogue}</Link>
          <Link to="/brands">{t.brands}</Link>
          <Link to="/contact">{t.contact}</Link>
          <button type="button" lang={language === 'ru' ? 'en' : 'ru'} onClick={switchToOther}>
            {t.language}
          </button>
        </div>
      </footer>
    </>
  )
}

function switchToOther(): void {
  switchLanguage(language === 'ru' ? 'en' : 'ru')
}

function CartLink() {
  const pieces = useCart().reduce((sum, { quantity }) => sum + quantity, 0)
  return (
    <Link to="/cart" className={css.icon}>
      <CartIcon />
      <span>{t.cart}</span>
      {pieces > 0 && <span className={css.badge}>{pieces > MAX_SHOWN ? `${MAX_SHOWN}+` : pieces}</span>}
    </Link>
  )
}
