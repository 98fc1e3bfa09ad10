import type { ComponentChildren } from 'preact'
import type { Attention, Watched } from '../../domain/tests/attention.ts'
import { formatMoment } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import { Facts } from '../facts.tsx'
import { Icon } from '../icons.tsx'
import { Notice } from '../notice.tsx'
import { SettingsNav } from '../settings-nav.tsx'

type NotificationsProps = {
  attention: Attention[]
  /** How many tests are on hold. */ onHold: number
  timeZone: string
  /** What is checked, and its present state. */ watched: Watched[]
}

/**
 * The page of what needs the merchant's attention. Each line says what is wrong and what to do, and
 * leads there.
 */
export const Notifications = ({ attention, onHold, timeZone, watched }: NotificationsProps) => (
  <>
    <SettingsNav current="notifications" />
    <div class="page-head">
      <h1>Notifications</h1>
      {onHold > 0 && (
        <form class="page-actions" method="post" action={paths.resumeHeld()}>
          <button class="secondary">
            <Icon name="play" />
            {onHold === 1 ? 'Try to resume it' : `Try to resume all ${onHold}`}
          </button>
        </form>
      )}
      {attention.length > 0 && (
        <p class="note page-facts">
          {onHold > 0
            ? '“Try to resume” checks the cause again. A test whose cause is still there stays on hold.'
            : 'Each of these waits for you.'}
        </p>
      )}
    </div>
    {attention.length === 0 ? (
      <Notice
        level={2}
        title="You’re all caught up"
        actions={
          <a class="button secondary" href={paths.home()}>
            Back to tests
          </a>
        }
      >
        No test is on hold or suspended, this month’s visitors are within the plan, and no trial is
        about to end.
      </Notice>
    ) : (
      <ul class="stack plain-list" aria-label="What needs your attention">
        {attention.map(each => (
          <AttentionItem
            key={each.id}
            attention={each}
            timeZone={timeZone}
            back={paths.settings('notifications')}
          />
        ))}
      </ul>
    )}
    <section class="card" aria-labelledby="watched">
      <div class="card-head">
        <h2 id="watched">What we check for you</h2>
      </div>
      <Facts
        facts={watched.map(({ name, now, rule, tone }) => [
          name,
          <>
            <span class="status" data-tone={tone}>
              <Icon name={tone === 'good' ? 'check' : 'warning'} />
              {now}
            </span>
            <p class="note">{rule}</p>
          </>,
        ])}
      />
    </section>
  </>
)

type ItemProps = {
  attention: Attention
  timeZone: string
  /** Where resuming leads back to. */ back: string
  /** The button that dismisses it, if it can be dismissed. */ dismiss?: ComponentChildren
}
/** One line of what needs the merchant's attention, here and above the list of tests. */
export const AttentionItem = ({
  attention: { tone, title, text, since, isNew, act, report, resume },
  timeZone,
  back,
  dismiss,
}: ItemProps) => (
  <li class="banner" data-tone={tone}>
    <Icon name="warning" />
    <span>
      <strong>{report && report !== act.href ? <a href={report}>{title}</a> : title}</strong>
      {isNew && (
        <>
          {' '}
          <span class="badge" data-tone="accent">
            New
          </span>
        </>
      )}
      <br />
      {text}
      {since && <span class="note cell-sub">Since {formatMoment(since, timeZone)}</span>}
    </span>
    <span class="row">
      <a
        class="button secondary small"
        href={act.href}
        {...(act.isInShop && { target: '_blank', rel: 'noopener' })}
      >
        {act.label}
      </a>
      {resume && (
        <form method="post" action={paths.resume(resume)}>
          <input type="hidden" name="back" value={back} />
          <button class="secondary small">
            <Icon name="play" />
            Resume
          </button>
        </form>
      )}
      {dismiss}
    </span>
  </li>
)
