import { paths } from '../../domain/paths.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import { DraftField } from '../drafts/draft-field.tsx'
import { Icon } from '../icons.tsx'

export type SignInProps = {
  /** The page that the member asked for; null for none. */
  from: string | null
  /** As it was typed; a password is not shown again. */
  email: string
  /** Why the sign-in was refused, when the reason is not a single field. */
  problem: string | null
  fields: FieldProblem[]
}

export function SignIn({ from, email, problem, fields }: SignInProps) {
  // Focuses the first field to fix. After a refusal that is the password, which must be typed
  // again.
  const isPasswordNext = email !== '' && !fields.some(({ field }) => field === 'email')
  return (
    <section class="card sign-in">
      <h1>Sign in</h1>
      <p class="muted">For Twinshelf’s staff. Merchants open Twinshelf from their shop’s admin.</p>
      {problem && <Refusal text={problem} />}
      <form
        method="post"
        action={from ? `${paths.login()}?${new URLSearchParams({ from })}` : paths.login()}
      >
        <EmailField email={email} fields={fields} isFocused={!isPasswordNext} />
        <DraftField
          name="password"
          label="Password"
          problems={fields}
          control={bound => (
            <input
              {...bound}
              type="password"
              required
              autocomplete="current-password"
              maxLength={1024}
              autofocus={isPasswordNext}
            />
          )}
        />
        <button>Sign in</button>
      </form>
      <p>
        <a href={paths.reset()}>Forgotten or not set yet?</a>
      </p>
    </section>
  )
}

export const EmailField = ({
  email,
  fields,
  isFocused,
}: {
  email: string
  fields: FieldProblem[]
  isFocused: boolean
}) => (
  <DraftField
    name="email"
    label="E-mail"
    problems={fields}
    control={bound => (
      <input
        {...bound}
        type="email"
        required
        autocomplete="username"
        maxLength={320}
        value={email}
        autofocus={isFocused}
      />
    )}
  />
)

export const Refusal = ({ text }: { text: string }) => (
  <p class="banner" data-tone="bad" role="alert">
    <Icon name="warning" />
    <span>{text}</span>
  </p>
)
