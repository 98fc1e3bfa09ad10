import { formatMoment } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import type { StaffAct, StaffUser } from '../../domain/staff-calls/users.ts'
import type { StaffSession } from '../../domain/staff-calls/second-factor.ts'
import { Sessions, type TwoStep, TwoStepCard } from './admin-user-access.tsx'
import { State } from './admin-user-state.tsx'
import { Confirm } from '../confirm.tsx'
import { DraftField } from '../drafts/draft-field.tsx'
import { asking, opens } from '../modal.tsx'

/**
 * A member of staff, with their acts and sessions. `own` is the id of the member who looks at the
 * page.
 */
export type AdminUserProps = {
  user: StaffUser
  acts: StaffAct[]
  own: string
  /** The stored name, or what was typed. */ name: string
  fields: FieldProblem[]
  sessions: StaffSession[]
  twoStep: TwoStep
  /** Whether nobody may turn two-step sign-in off. */ isCompulsory: boolean
  now: Date
  /** What `?ask=` asks to confirm. */
  asked: string | null
}

/** The page of one member of staff: account, access, sessions and recent activity. */
export function AdminUser({
  user,
  acts,
  own,
  name,
  fields,
  sessions,
  twoStep,
  isCompulsory,
  now,
  asked,
}: AdminUserProps) {
  const isOwn = user.id === own
  return (
    <>
      <div class="page-head">
        <a class="back-link" href={paths.admin('users')}>
          Users
        </a>
        <h1>{user.name}</h1>
        <State user={user} />
      </div>
      <div class="columns">
        <section class="card" aria-label="Account">
          <dl class="facts card-body">
            <div>
              <dt>E-mail</dt>
              <dd>{user.email}</dd>
            </div>
            <div>
              <dt>Added</dt>
              <dd>{formatMoment(user.createdAt, 'UTC', now)} UTC</dd>
            </div>
            <div>
              <dt>Last sign-in</dt>
              <dd>
                {user.lastSignInAt ? `${formatMoment(user.lastSignInAt, 'UTC', now)} UTC` : 'Never'}
              </dd>
            </div>
            <div>
              <dt>Password</dt>
              <dd>{user.invited ? 'Not set yet' : 'Set'}</dd>
            </div>
            <div>
              <dt>Two-step sign-in</dt>
              <dd>{user.secondFactor ? 'On' : 'Off'}</dd>
            </div>
          </dl>
          <form class="card-body stack" method="post" action={paths.admin('users', user.id)}>
            <DraftField
              name="name"
              label="Name"
              problems={fields}
              control={bound => (
                <input
                  {...bound}
                  required
                  maxLength={100}
                  value={name}
                  autocomplete="off"
                  autofocus={fields.length > 0}
                />
              )}
            />
            <div class="row">
              <button class="secondary">Rename</button>
            </div>
          </form>
        </section>
        <div class="stack">
          <TwoStepCard
            user={user}
            isOwn={isOwn}
            isCompulsory={isCompulsory}
            twoStep={twoStep}
            asked={asked}
          />
          <Access user={user} isOwn={isOwn} asked={asked} />
        </div>
      </div>
      <Sessions user={user} sessions={sessions} now={now} />
      <Acts acts={acts} user={user} now={now} />
    </>
  )
}

type AccessProps = { user: StaffUser; isOwn: boolean; asked: string | null }
function Access({ user, isOwn, asked }: AccessProps) {
  if (user.disabled)
    return (
      <section class="card" aria-labelledby="access">
        <header class="card-head">
          <h2 id="access">Access</h2>
        </header>
        <div class="card-body stack">
          <p>{user.name} cannot sign in.</p>
          <form class="row" method="post" action={paths.staffUserAct(user.id, 'enable')}>
            <button class="secondary">Enable</button>
          </form>
        </div>
      </section>
    )
  return (
    <section class="card" aria-labelledby="access">
      <header class="card-head">
        <h2 id="access">Access</h2>
      </header>
      <div class="card-body stack">
        <form class="stack" method="post" action={paths.staffUserAct(user.id, 'link')}>
          <p class="muted">
            {user.invited
              ? 'The invitation’s link works for 30 minutes. A new one can be sent at any time.'
              : 'We mail a link to set a new password. The old password works until then.'}
          </p>
          <div class="row">
            <button class="secondary">
              {user.invited ? 'Send a new invitation' : 'Send a link to set a password'}
            </button>
          </div>
        </form>
        {!user.invited && (
          <form class="stack" method="post" action={paths.staffUserAct(user.id, 'sign-out')}>
            <p class="muted">
              Ends every session{isOwn ? ', this one included.' : ', on every device.'}
            </p>
            <div class="row">
              <button class="secondary">Sign out everywhere</button>
            </div>
          </form>
        )}
        {isOwn ? (
          <p class="note">You cannot disable your own account. Ask another member of staff.</p>
        ) : (
          <div class="row">
            <a
              class="button danger"
              {...opens('disable', asking(paths.admin('users', user.id), 'disable'))}
            >
              Disable…
            </a>
          </div>
        )}
      </div>
      {!isOwn && (
        <Confirm
          id="disable"
          title={`Disable ${user.name}?`}
          action={paths.staffUserAct(user.id, 'disable')}
          closed={paths.admin('users', user.id)}
          act="Disable"
          keep="Keep"
          isOpen={asked === 'disable'}
        >
          They can no longer sign in, every session of theirs ends now, and links that were sent to
          them stop working. What they did stays on record. They can be enabled again.
        </Confirm>
      )}
    </section>
  )
}

const Acts = ({ acts, user, now }: { acts: StaffAct[]; user: StaffUser; now: Date }) => (
  <section class="card" aria-labelledby="acts">
    <header class="card-head">
      <h2 id="acts">Recent activity</h2>
    </header>
    {acts.length === 0 ? (
      <p class="card-body muted">No activity yet.</p>
    ) : (
      <div class="table-scroll">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">When (UTC)</th>
              <th scope="col">Who</th>
              <th scope="col">What</th>
            </tr>
          </thead>
          <tbody>
            {acts.map(({ at, by, act, detail }, i) => (
              <tr key={i}>
                <td>{formatMoment(at, 'UTC', now)}</td>
                <td>
                  {by === null ? (
                    <span class="muted">Not signed in</span>
                  ) : by.id === user.id ? (
                    by.name
                  ) : (
                    <a href={paths.admin('users', by.id)}>{by.name}</a>
                  )}
                </td>
                <td>
                  {act}
                  {detail && <span class="muted">: {detail}</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
)
