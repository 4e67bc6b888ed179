import { useQuery } from '@tanstack/react-query'
import common from '../frame/common.module.css'
import { PageHead } from '../frame/page-head.tsx'
import { Failure, Loading } from '../frame/states.tsx'
import { t as frame } from '../text.ts'
import css from './account.module.css'
import { ChangePassword } from './change-password.tsx'
import { MyOrders } from './my-orders.tsx'
import { ProfileForm } from './profile-form.tsx'
import { profileQuery } from './profile-query.ts'
import { useSession } from './session.ts'
import { SignIn } from './sign-in.tsx'
import { t } from './text.ts'

export function AccountPage() {
  const { data, error, refetch } = useQuery(profileQuery)
  const { end } = useSession(data ?? null)
  if (error) return <Failure error={error} reset={refetch} />
  if (data === undefined) return <Loading />
  return (
    <>
      <PageHead title={frame.account} isHidden />
      {data === null ? (
        <SignIn />
      ) : (
        <>
          <div className={css.head}>
            <h1>{data.name}</h1>
            <button type="button" className={common.button} onClick={end}>
              {t.signOut}
            </button>
          </div>
          <div className={css.page}>
            <MyOrders />
            <div className={common.stack}>
              <ProfileForm profile={data} />
              <ChangePassword />
            </div>
          </div>
        </>
      )}
    </>
  )
}
