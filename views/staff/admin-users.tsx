import { formatMoment } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import type { StaffUser } from '../../domain/staff-calls/users.ts'
import { SortBy } from './admin-list-parts.tsx'
import { StaffHead, StaffList } from './admin-list.tsx'
import type { StaffListState } from './admin-list-state.ts'
import { State } from './admin-user-state.tsx'
import { Icon } from '../icons.tsx'

export type AdminUsersProps = {
  state: StaffListState
  users: StaffUser[]
  count: number
  /** Id of the member who looks at the page. */ own: string
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
