import { paths } from '../../domain/paths.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import { DraftField } from '../drafts/draft-field.tsx'

/** The form that invites a new member of staff. */
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
            help="We send an invitation to this address. Its link lets them set a password."
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
