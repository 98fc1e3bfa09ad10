import { paths } from '../../domain/paths.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import { linkMinutes, passwordLength } from '../../domain/staff/staff-user.ts'
import { DraftField } from '../drafts/draft-field.tsx'
import { EmailField, Refusal } from './staff-sign-in.tsx'

type AskForLinkProps = { email: string; problem: string | null; fields: FieldProblem[] }

export const AskForLink = ({ email, problem, fields }: AskForLinkProps) => (
  <section class="card sign-in">
    <h1>Set a password</h1>
    <p class="muted">
      Enter the e-mail address of your staff account. We mail a link to set a password to it,
      whether you are new or have forgotten yours.
    </p>
    {problem && <Refusal text={problem} />}
    <form method="post" action={paths.reset()}>
      <EmailField email={email} fields={fields} isFocused />
      <button>Mail me a link</button>
    </form>
    <p>
      <a href={paths.login()}>Back to signing in</a>
    </p>
  </section>
)

/** The same for every address, so that it does not tell who has an account. */
export const LinkSent = () => (
  <section class="card sign-in">
    <h1>Check your e-mail</h1>
    <p>
      If this address belongs to a member of staff, we have sent a link to it. The link works once,
      within {linkMinutes} minutes.
    </p>
    <p>
      <a href={paths.reset()}>Ask for another</a>
    </p>
  </section>
)

export const DeadLink = () => (
  <section class="card sign-in">
    <h1>This link no longer works</h1>
    <p>It was used before, or is older than {linkMinutes} minutes.</p>
    <a class="button" href={paths.reset()}>
      Ask for a new link
    </a>
  </section>
)

type SetPasswordProps = {
  token: string
  owner: { email: string; name: string }
  problem: string | null
  fields: FieldProblem[]
}

export const SetPassword = ({ token, owner, problem, fields }: SetPasswordProps) => (
  <section class="card sign-in">
    <h1>Set a password</h1>
    <p class="muted">
      For {owner.name}, {owner.email}. Setting it ends every session that is open.
    </p>
    {problem && <Refusal text={problem} />}
    <form method="post" action={paths.reset()}>
      <input type="hidden" name="token" value={token} />
      {/* For password managers, which store the address with the password. */}
      <input type="hidden" name="username" autocomplete="username" value={owner.email} />
      <DraftField
        name="password"
        label="New password"
        problems={fields}
        help={`At least ${passwordLength.least} characters of any kind. A few words that only you would combine are best.`}
        control={bound => (
          <input
            {...bound}
            type="password"
            required
            autocomplete="new-password"
            minLength={passwordLength.least}
            maxLength={passwordLength.most}
            autofocus
          />
        )}
      />
      <button>Set password</button>
    </form>
  </section>
)
