import { Link } from '@tanstack/react-router'
import { ApiFailure } from '../../api/failure.ts'
import { t } from '../text.ts'
import css from './common.module.css'
import { PageHead } from './page-head.tsx'

export function Loading() {
  return (
    <p className={css.muted} role="status">
      {t.loading}
    </p>
  )
}

export function NotFound() {
  return (
    <>
      <PageHead title={t.notFound} isHidden />
      <h1>{t.notFound}</h1>
      <p>{t.notFoundExplained}</p>
      <div className={css.row}>
        <Link to="/" className={css.primary}>
          {t.toHome}
        </Link>
        <Link to="/categories" className={css.button}>
          {t.catalogue}
        </Link>
      </div>
    </>
  )
}

/** What a page shows when its request failed. */
export function Failure({ error, reset }: { error: unknown; reset: () => void }) {
  if (error instanceof ApiFailure && error.status === 404) return <NotFound />
  return (
    <div className={css.stack}>
      <FailureNote error={error} />
      <div>
        <button type="button" className={css.button} onClick={reset}>
          {t.repeat}
        </button>
      </div>
    </div>
  )
}

/** What went wrong, in the words of the API. */
export function FailureNote({ error }: { error: unknown }) {
  const failure = error instanceof ApiFailure ? error : null
  return (
    <p role="alert" className={css.fault}>
      {failure?.status === 0 ? t.noConnection : failure?.message || t.failed}
      {failure !== null && failure.status >= 500 && failure.requestId !== undefined && (
        <span className={css.muted}>
          {' '}
          {t.request} {failure.requestId}
        </span>
      )}
    </p>
  )
}
