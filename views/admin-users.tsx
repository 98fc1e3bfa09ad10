import { formatMoment } from '../domain/figures.ts'
import { paths } from '../domain/paths.ts'
import type { FieldProblem } from '../domain/problem.ts'
import type { StaffAct, StaffUser } from '../domain/staff-calls/users.ts'
import { staffState, type StaffState } from '../domain/staff-user.ts'
import type { StaffSession } from '../domain/staff-calls/second-factor.ts'
import { Sessions, type TwoStep, TwoStepCard } from './admin-user-access.tsx'
import { SortBy, StaffHead, StaffList, type StaffListState } from './admin-list.tsx'
import { Confirm } from './confirm.tsx'
import { DraftField } from './draft-field.tsx'
import { Icon, type IconName } from './icons.tsx'

export type AdminUsersProps = {
  state: StaffListState
  users: StaffUser[]
  count: number
  /** Id of who looks. */ own: string
  now: Date
}

export const AdminUsers = ({ state, users, count, own, now }: AdminUsersProps) => (
  <>
    <div class="page-head">
      <h1>Users</h1>
      <div class="page-actions">
        <a class="button" href={paths.admin('add-user')}>
          <Icon name="plus" />
          Add a user
        </a>
      </div>
    </div>
    <StaffList
      state={state}
      count={count}
      shown={users.length}
      label="Users"
      placeholder="Name or e-mail"
      noun={['user', 'users']}
      note="Times are UTC"
      empty={{ title: 'No users yet', text: 'Add a user to give somebody access to this panel.' }}
    >
      <StaffHead>
        <SortBy state={state} sort="name" label="Name" />
        <th scope="col">State</th>
        <SortBy state={state} sort="createdAt" label="Added" largest />
        <SortBy state={state} sort="lastSignInAt" label="Last sign-in" largest />
      </StaffHead>
      <tbody>
        {users.map(user => (
          <UserRow key={user.id} user={user} isOwn={user.id === own} now={now} />
        ))}
      </tbody>
    </StaffList>
  </>
)

const UserRow = ({ user, isOwn, now }: { user: StaffUser; isOwn: boolean; now: Date }) => (
  <tr>
    <th scope="row">
      <a class="cell-link" href={paths.admin('users', user.id)}>
        <b>
          {user.name}
          {isOwn && ' (you)'}
        </b>
        <span>{user.email}</span>
      </a>
    </th>
    <td>
      <State user={user} />
    </td>
    <td>{formatMoment(user.createdAt, 'UTC', now)}</td>
    <td>
      {user.lastSignInAt ? (
        formatMoment(user.lastSignInAt, 'UTC', now)
      ) : (
        <span class="muted">Never</span>
      )}
    </td>
  </tr>
)

const states: Record<StaffState, { label: string; icon: IconName; tone: string }> = {
  active: { label: 'Active', icon: 'check', tone: 'good' },
  invited: { label: 'Invited', icon: 'clock', tone: 'neutral' },
  disabled: { label: 'Disabled', icon: 'close', tone: 'bad' },
}
function State({ user }: { user: StaffUser }) {
  const { label, icon, tone } = states[staffState(user)]
  return (
    <span class="status" data-tone={tone}>
      <Icon name={icon} />
      {label}
    </span>
  )
}

export function AddUser({
  email,
  name,
  fields,
}: {
  email: string
  name: string
  fields: FieldProblem[]
}) {
  const isFirst = (field: string) => (fields[0]?.field ?? 'name') === field
  return (
    <>
      <div class="page-head">
        <a class="back-link" href={paths.admin('users')}>
          Users
        </a>
        <h1>Add a user</h1>
      </div>
      <section class="card">
        <form class="card-body stack form-narrow" method="post" action={paths.admin('add-user')}>
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
                autofocus={isFirst('name')}
              />
            )}
          />
          <DraftField
            name="email"
            label="E-mail"
            problems={fields}
            help="An invitation goes there. By its link they set a password of their own."
            control={bound => (
              <input
                {...bound}
                type="email"
                required
                maxLength={320}
                value={email}
                autocomplete="off"
                autofocus={isFirst('email')}
              />
            )}
          />
          <div class="row">
            <button>Add and invite</button>
            <a class="button secondary" href={paths.admin('users')}>
              Cancel
            </a>
          </div>
        </form>
      </section>
    </>
  )
}

export type AdminUserProps = {
  user: StaffUser
  acts: StaffAct[]
  own: string
  /** As it stands, or as it was typed. */ name: string
  fields: FieldProblem[]
  sessions: StaffSession[]
  twoStep: TwoStep
  /** Nobody turns two-step sign-in off. */ isCompulsory: boolean
  now: Date
}

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
          <TwoStepCard user={user} isOwn={isOwn} isCompulsory={isCompulsory} twoStep={twoStep} />
          <Access user={user} isOwn={isOwn} />
        </div>
      </div>
      <Sessions user={user} sessions={sessions} now={now} />
      <Acts acts={acts} user={user} now={now} />
    </>
  )
}

function Access({ user, isOwn }: { user: StaffUser; isOwn: boolean }) {
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
            <button class="danger" type="button" command="show-modal" commandfor="disable">
              Disable…
            </button>
          </div>
        )}
      </div>
      {!isOwn && (
        <Confirm
          id="disable"
          title={`Disable ${user.name}?`}
          action={paths.staffUserAct(user.id, 'disable')}
          act="Disable"
          keep="Keep"
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
      <h2 id="acts">Lately</h2>
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
