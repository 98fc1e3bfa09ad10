import { paths } from '../../domain/paths.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import { DraftField } from '../drafts/draft-field.tsx'
import { QrCode } from '../qr.tsx'
import { Refusal } from './staff-sign-in.tsx'

type Step = {
  from: string | null
  email: string
  problem: string | null
  fields: readonly FieldProblem[]
}
const to = (path: string, from: string | null): string =>
  from ? `${path}?${new URLSearchParams({ from })}` : path

/** The second step of a sign-in. */
export const EnterCode = ({ from, email, problem, fields }: Step) => (
  <section class="card sign-in">
    <h1>Enter your code</h1>
    <p class="muted">
      Open your authenticator app and enter the 6 digits that it shows for Twinshelf. Without your
      phone, enter one of your recovery codes.
    </p>
    {problem && <Refusal text={problem} />}
    <form method="post" action={to(paths.loginCode(), from)}>
      <CodeField name="code" label="Code" fields={fields} isFocused />
      <button>Sign in</button>
    </form>
    <SomebodyElse email={email} />
  </section>
)

/** The page on which a member sets up two-step sign-in before the first sign-in continues. */
export const SetUpAtSignIn = ({ from, email, problem, fields, secret, address }: Step & Secret) => (
  <section class="card sign-in">
    <h1>Set up two-step sign-in</h1>
    <p class="muted">
      Staff sign in with a password and a code from their phone. You set this up once.
    </p>
    {problem && <Refusal text={problem} />}
    <form method="post" action={to(paths.loginSetUp(), from)}>
      <SetUpFields secret={secret} address={address} fields={fields} />
      <button>Turn on and sign in</button>
    </form>
    <SomebodyElse email={email} />
  </section>
)

const SomebodyElse = ({ email }: { email: string }) => (
  <form class="sign-in-other" method="post" action={paths.logout()}>
    <p class="muted">You are signing in as {email}.</p>
    <button class="secondary">Sign in as somebody else</button>
  </form>
)

export type Secret = { secret: string; address: string }

/**
 * The secret as a QR code and as text, and the field for a first code, which proves that the app
 * has the secret.
 */
export const SetUpFields = ({
  secret,
  address,
  fields,
  isFocused = true,
}: Secret & { fields: readonly FieldProblem[]; isFocused?: boolean }) => (
  <>
    <ol class="set-up-steps">
      <li>Install an authenticator app on your phone, if you have none.</li>
      <li>
        Scan this code with it.
        <QrCode url={address} label="QR code that adds Twinshelf to an authenticator app" />
        <details>
          <summary>Enter a key instead</summary>
          <p>
            Key: <code class="secret-key">{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
          </p>
        </details>
      </li>
      <li>Enter the 6 digits that the app shows.</li>
    </ol>
    <CodeField name="code" label="Code from the app" fields={fields} isFocused={isFocused} />
  </>
)

type CodeProps = {
  name: 'code' | 'current'
  label: string
  fields: readonly FieldProblem[]
  isFocused?: boolean
  help?: string
}

/**
 * The field for a code. It takes recovery codes too, so it does not ask for a keyboard with digits
 * only.
 */
export const CodeField = ({ name, label, fields, isFocused = false, help }: CodeProps) => (
  <DraftField
    name={name}
    label={label}
    problems={fields}
    {...(help && { help })}
    control={bound => (
      <input
        {...bound}
        class="code-input"
        required
        maxLength={40}
        autocomplete="one-time-code"
        autocapitalize="none"
        spellcheck={false}
        autofocus={isFocused}
      />
    )}
  />
)

type CodesProps = { codes: readonly string[]; href: string; isSignIn: boolean }

/** Shown once, right after they were made. */
export const RecoveryCodes = ({ codes, href, isSignIn }: CodesProps) => {
  const title = <h1 id="recovery">Keep your recovery codes</h1>
  return (
    <>
      {!isSignIn && (
        <div class="page-head">
          <a class="back-link" href={href}>
            My account
          </a>
          {title}
        </div>
      )}
      <section class={isSignIn ? 'card sign-in' : 'card'} aria-labelledby="recovery">
        {isSignIn && title}
        <div class={isSignIn ? 'stack' : 'card-body stack form-narrow'}>
          <p>
            Two-step sign-in is on. Each of these codes signs you in once when you do not have your
            phone. They are shown only now: print them or keep them in your password manager.
          </p>
          <ul class="recovery-codes">
            {codes.map(code => (
              <li key={code}>
                <code>{code}</code>
              </li>
            ))}
          </ul>
          <div class="row">
            <a class="button" href={href}>
              I have kept them
            </a>
          </div>
        </div>
      </section>
    </>
  )
}
