import { formatMoment } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import type { StaffSession } from '../../domain/staff-calls/second-factor.ts'
import type { StaffUser } from '../../domain/staff-calls/users.ts'
import { Confirm } from '../confirm.tsx'
import { asking, opens } from '../modal.tsx'
import { CodeField, type Secret, SetUpFields } from './staff-second-factor.tsx'

/**
 * What a member's own card of two-step sign-in shows: a secret to set up, or a form that asks for a
 * code.
 */
export type TwoStep = {
  secret: Secret | null
  ask: 'codes' | 'off' | null
  problem: string | null
  fields: readonly FieldProblem[]
}
export const noTwoStep: TwoStep = { secret: null, ask: null, problem: null, fields: [] }

type CardProps = {
  user: StaffUser
  isOwn: boolean
  isCompulsory: boolean
  twoStep: TwoStep
  /** What `?ask=` asks to confirm. */
  asked: string | null
}

export const TwoStepCard = ({ user, isOwn, isCompulsory, twoStep, asked }: CardProps) => (
  <section class="card" aria-labelledby="two-step">
    <header class="card-head">
      <h2 id="two-step">Two-step sign-in</h2>
    </header>
    <div class="card-body stack">
      {twoStep.problem && (
        <p class="field-error" role="alert">
          {twoStep.problem}
        </p>
      )}
      {isOwn ? (
        <Own user={user} isCompulsory={isCompulsory} twoStep={twoStep} />
      ) : (
        <Others user={user} isCompulsory={isCompulsory} asked={asked} />
      )}
    </div>
  </section>
)

function Own({
  user,
  isCompulsory,
  twoStep: { secret, ask, fields },
}: Omit<CardProps, 'isOwn' | 'asked'>) {
  const page = paths.admin('users', user.id),
    back = (
      <a class="button secondary" href={page}>
        Cancel
      </a>
    )
  if (secret)
    return (
      <form
        class="stack form-narrow"
        method="post"
        action={paths.staffUserAct(user.id, 'two-step')}
      >
        {user.secondFactor && (
          <CodeField
            name="current"
            label="Current code"
            fields={fields}
            isFocused
            help="From the app that you have used until now, or a recovery code."
          />
        )}
        <SetUpFields {...secret} fields={fields} isFocused={!user.secondFactor} />
        <div class="row">
          <button>Turn on</button>
          {back}
        </div>
      </form>
    )
  if (ask && user.secondFactor)
    return (
      <form
        class="stack form-narrow"
        method="post"
        action={paths.staffUserAct(user.id, ask === 'codes' ? 'two-step-codes' : 'two-step-off')}
      >
        <p>
          {ask === 'codes'
            ? 'We make ten new recovery codes. Those you have now stop working.'
            : 'You sign in with your password alone. Your recovery codes stop working.'}
        </p>
        <CodeField
          name="code"
          label="Code"
          fields={fields}
          isFocused
          help="From your authenticator app, or a recovery code."
        />
        <div class="row">
          <button class={ask === 'off' ? 'danger' : undefined}>
            {ask === 'codes' ? 'Make new codes' : 'Turn off'}
          </button>
          {back}
        </div>
      </form>
    )
  if (!user.secondFactor)
    return (
      <>
        <p class="muted">
          Off. Turn it on to sign in with your password and a code from your phone, so that a
          password alone is not enough.
        </p>
        <div class="row">
          <a class="button" href={`${page}?two-step=set-up`}>
            Set up
          </a>
        </div>
      </>
    )
  return (
    <>
      <p class="muted">
        On. You sign in with your password and a code from your authenticator app.
      </p>
      <div class="row">
        <a class="button secondary" href={`${page}?two-step=codes`}>
          New recovery codes
        </a>
        <a class="button secondary" href={`${page}?two-step=set-up`}>
          Use another phone
        </a>
        {!isCompulsory && (
          <a class="button secondary" href={`${page}?two-step=off`}>
            Turn off
          </a>
        )}
      </div>
    </>
  )
}

type OthersProps = Pick<CardProps, 'user' | 'isCompulsory' | 'asked'>
const Others = ({ user, isCompulsory, asked }: OthersProps) =>
  user.secondFactor ? (
    <>
      <p class="muted">
        On. Reset it when {user.name} has lost both the phone and the recovery codes.
      </p>
      <div class="row">
        <a
          class="button secondary"
          {...opens('reset-two-step', asking(paths.admin('users', user.id), 'reset-two-step'))}
        >
          Reset…
        </a>
      </div>
      <Confirm
        id="reset-two-step"
        title={`Reset two-step sign-in of ${user.name}?`}
        action={paths.staffUserAct(user.id, 'two-step-reset')}
        closed={paths.admin('users', user.id)}
        act="Reset"
        keep="Keep"
        isOpen={asked === 'reset-two-step'}
      >
        They sign in with their password and then set it up again. Their recovery codes stop working
        and their sessions end now. Make sure that it is really them who asked.
      </Confirm>
    </>
  ) : (
    <p class="muted">
      Off.{' '}
      {isCompulsory
        ? `${user.name} sets it up at the next sign-in.`
        : `${user.name} signs in with a password alone.`}
    </p>
  )

type SessionsProps = { user: StaffUser; sessions: readonly StaffSession[]; now: Date }

export const Sessions = ({ user, sessions, now }: SessionsProps) => (
  <section class="card" aria-labelledby="sessions">
    <header class="card-head">
      <h2 id="sessions">Sessions</h2>
    </header>
    {sessions.length === 0 ? (
      <p class="card-body muted">{user.name} is not signed in anywhere.</p>
    ) : (
      <div class="table-scroll">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Browser and network</th>
              <th scope="col">Since (UTC)</th>
              <th scope="col">Last seen (UTC)</th>
              <th scope="col">
                <span class="visually-hidden">Act</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {sessions.map(session => (
              <tr key={session.id}>
                <th scope="row">
                  {session.browser || 'Unknown browser'}
                  {session.isOwn && ' (this one)'}
                  <span class="cell-sub">{session.network || 'Private network'}</span>
                </th>
                <td>{formatMoment(session.startedAt, 'UTC', now)}</td>
                <td>{formatMoment(session.seenAt, 'UTC', now)}</td>
                <td class="num">
                  {!session.isOwn && (
                    <form method="post" action={paths.staffUserAct(user.id, 'end-session')}>
                      <input type="hidden" name="session" value={session.id} />
                      <button
                        class="secondary small"
                        aria-label={`Sign out ${session.browser || 'unknown browser'}, since ${formatMoment(session.startedAt, 'UTC', now)}`}
                      >
                        Sign out
                      </button>
                    </form>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
)
