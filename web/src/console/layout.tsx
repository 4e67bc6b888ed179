import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { api, got } from '../api/client.ts'
import { followEvents } from '../api/events.ts'
import { endSession, onSessionEnd, readToken, startSession, tokenTimes } from '../api/session.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FailureNote } from '../ui/list.tsx'
import css from './layout.module.css'
import { menuOf } from './menu.ts'
import { Palette } from './palette.tsx'
import { SignInForm, SignInPage } from './sign-in.tsx'
import { t } from './text.ts'
import { type Profile, profileQuery } from './user.ts'

const REFRESH_CHECK_MS = 60_000

/** The frame of all pages: who is logged in, the menu, and the page. */
export function Layout() {
  const client = useQueryClient()
  const [isIn, setIn] = useState(readToken() !== null)
  const profile = useQuery({ ...profileQuery, enabled: isIn })
  const leave = () => {
    endSession()
    client.clear()
    setIn(false)
  }

  if (!isIn) return <SignInPage onSignedIn={() => setIn(true)} />
  if (profile.data === undefined) {
    return profile.isError ? <FailureNote error={profile.error} onRepeat={() => void profile.refetch()} /> : <Ended />
  }
  if (profile.data.permissions.length === 0) return <SignInPage note={t.noStaff} onSignedIn={() => client.clear()} />
  return <Frame profile={profile.data} onLogOut={leave} />
}

function Frame({ profile, onLogOut }: { profile: Profile; onLogOut: () => void }) {
  const client = useQueryClient()
  const [isConnected, setConnected] = useState(true)
  const [isMenuOpen, setMenuOpen] = useState(false)
  const { pathname } = useLocation()
  const { permissions } = profile
  const topics = [
    'catalogue',
    'products',
    ...(permissions.includes('orders') ? ['orders', 'contacts'] : []),
    ...(permissions.includes('operations') ? ['runs', 'jobs', 'alerts'] : []),
  ].join()

  useEffect(() => followEvents(client, topics.split(','), setConnected), [client, topics])
  useEffect(() => {
    const timer = setInterval(() => void renewToken(), REFRESH_CHECK_MS)
    return () => clearInterval(timer)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when another page is shown
  useEffect(() => setMenuOpen(false), [pathname])

  return (
    <div className={css.frame}>
      <a className={css.skip} href="#content">
        {t.skip}
      </a>
      <header className={css.header}>
        <Button look="quiet" aria-expanded={isMenuOpen} onPress={() => setMenuOpen(!isMenuOpen)}>
          <span className={css.burger}>☰ {t.menu}</span>
        </Button>
        <Palette permissions={permissions} />
        <Link to="/account" className={css.user}>
          {profile.name}
        </Link>
        <Button look="quiet" onPress={onLogOut}>
          {t.logOut}
        </Button>
      </header>
      <nav className={css.menu} data-open={isMenuOpen} aria-label={t.menu}>
        {menuOf(permissions).map(({ label, entries }) => (
          <div key={label} className={css.group}>
            {label && <div className={css.groupName}>{label}</div>}
            {entries.map(({ to, label: name }) => (
              <Link key={to} to={to} className={css.entry} activeOptions={{ exact: to === '/', includeSearch: false }}>
                {name}
              </Link>
            ))}
          </div>
        ))}
      </nav>
      <main className={css.main} id="content" tabIndex={-1}>
        {!isConnected && (
          <p className={css.offline} role="status">
            {t.offline}
          </p>
        )}
        <Outlet />
      </main>
      <Ended email={profile.email} />
    </div>
  )
}

/** Asks for the password over the page when the session has ended. */
function Ended({ email }: { email?: string }) {
  const [isEnded, setEnded] = useState(false)
  useEffect(() => onSessionEnd(() => setEnded(true)), [])
  return (
    <Dialog title={t.ended} isOpen={isEnded}>
      <p>{t.endedExplained}</p>
      <SignInForm email={email} onSignedIn={() => setEnded(false)} />
    </Dialog>
  )
}

/** Renews the token in the second half of its life. */
async function renewToken(): Promise<void> {
  const times = tokenTimes(readToken() ?? '')
  if (times === null || Date.now() < (times.issued + times.expires) / 2 || Date.now() > times.expires) return
  // Without a renewal the session ends as it would have, and asks for the password.
  const session = await got(api.POST('/api/v1/auth/refresh')).catch(() => null)
  if (session !== null) startSession(session.token)
}
