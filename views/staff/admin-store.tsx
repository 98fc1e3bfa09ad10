import type { ComponentChildren } from 'preact'
import { formatCount, formatDate, formatMoment, formatNearDay } from '../../domain/figures.ts'
import { flagWords } from '../../domain/feature-flag.ts'
import { formatMoney } from '../../domain/money.ts'
import { paths } from '../../domain/paths.ts'
import { discountValue } from '../../domain/staff/staff-discounts.ts'
import { storeTroubleLabels } from '../../domain/staff/staff-health.ts'
import type { StaffStorePage } from '../../domain/staff/staff-overview.ts'
import { testKinds } from '../../domain/tests/test-kind.ts'
import { uninstallWords } from '../../domain/staff/staff-uninstalls.ts'
import { LeadBadge, shortened } from './lead-parts.tsx'
import { jobWords } from '../../domain/jobs/job-words.ts'
import { Icon } from '../icons.tsx'
import { NetworksCard } from '../settings/networks-card.tsx'
import { StatusBadge, VerdictBadge } from '../result.tsx'
import { StaffChart } from './staff-chart.tsx'
import { FiguresCard, type RecountAsked, RecountDialogs, RecountLink } from './store-figures.tsx'

type Props = { store: StaffStorePage; now: Date }
type PartsProps = Props & { recount: RecountAsked }

/** Whether anything is wrong with the store, in words. */
export function StoreState({ store: { health, tests, failedJobs, uninstalls }, now }: Props) {
  const held = tests.filter(({ status }) => status === 'OnHold').length
  const wrong = [
    ...health.troubles.map(name => storeTroubleLabels[name]),
    ...(held === 0 ? [] : [held === 1 ? '1 test on hold' : `${held} tests on hold`]),
    ...(failedJobs.length > 0 ? ['Failed jobs'] : []),
  ]
  if (health.status === 'uninstalled')
    return (
      <section class="banner" aria-label="State">
        <Icon name="info" />
        <div>
          <p>
            <strong>This store has uninstalled Twinshelf</strong>
            {uninstalls[0] && ` on ${formatMoment(uninstalls[0].at, 'UTC', now)} UTC`}.{' '}
            {uninstalls[0] && `${uninstallWords(uninstalls[0].category)}.`}
          </p>
          {uninstalls[0]?.reason && <p class="muted">“{uninstalls[0].reason}”</p>}
        </div>
      </section>
    )
  if (wrong.length === 0)
    return (
      <section class="banner" data-tone="good" aria-label="State">
        <Icon name="check" />
        <p>
          <strong>Nothing needs attention.</strong> Script, subscription, visitors and tests are in
          order.
        </p>
      </section>
    )
  return (
    <section class="banner" data-tone="warn" aria-label="State">
      <Icon name="warning" />
      <p>
        <strong>Needs attention:</strong> {wrong.join(', ')}.
        {health.script.error && ` ${health.script.error}`}
      </p>
    </section>
  )
}

/** Everything else about a store, besides its trial. */
export const StoreParts = ({ store, now, recount }: PartsProps) => (
  <>
    <div class="columns">
      <StaffChart
        id="store-visitors"
        title="Visitors"
        note="30 days"
        figure={formatCount(store.visitors.reduce((sum, { count }) => sum + count, 0))}
        names={store.visitors.map(
          ({ day }, i) =>
            `${formatNearDay(day, now)}${i === store.visitors.length - 1 ? ', so far' : ''}`,
        )}
        lines={[
          { label: 'Visitors', tone: 'accent', values: store.visitors.map(({ count }) => count) },
        ]}
      />
      <section class="card" aria-labelledby="store-script">
        <div class="card-head">
          <h2 id="store-script">Script and access</h2>
        </div>
        <dl class="card-body facts">
          <Fact name="Script published">
            {store.health.script.publishedAt
              ? `${formatMoment(store.health.script.publishedAt, 'UTC', now)} UTC`
              : 'Never'}
          </Fact>
          <Fact name="Last visitor">
            {store.health.lastEventDay ? formatNearDay(store.health.lastEventDay, now) : 'None yet'}
          </Fact>
          <Fact name="Last sign-in">
            {store.health.lastSignInAt
              ? `${formatMoment(store.health.lastSignInAt, 'UTC', now)} UTC`
              : 'Never'}
          </Fact>
          <Fact name="Feature flags">
            {store.flags.length === 0
              ? 'None'
              : store.flags.map(flag => flagWords[flag].label).join(', ')}{' '}
            <a href={`${paths.admin('stores/features')}?store=${store.trial.id}`}>Change</a>
          </Fact>
        </dl>
      </section>
    </div>
    <NetworksCard
      networks={store.networks}
      timeZone="UTC"
      now={now}
      action={paths.storeNetworks(store.trial.id)}
    />
    <Rows
      id="store-tests"
      title="Tests"
      empty="This store has not launched a test yet."
      head={['Test', 'Status', 'Started', 'Visitors', 'Verdict', 'Figures']}
      numbers={[3]}
      rows={store.tests.map(test => [
        <>
          <b>{test.title}</b>
          <span class="cell-sub">{testKinds[test.kind].label}</span>
        </>,
        <StatusBadge status={test.status} />,
        test.startAt ? formatDate(test.startAt, 'UTC') : 'Not yet',
        formatCount(test.visitors),
        test.verdict ? <VerdictBadge verdict={test.verdict} /> : '–',
        store.health.status === 'installed' && test.startAt !== null && (
          <RecountLink storeId={store.trial.id} test={test} />
        ),
      ])}
    />
    <FiguresCard store={store} now={now} />
    <RecountDialogs store={store} asked={recount} />
    <Rows
      id="store-leads"
      title="Plan requests"
      empty="No requests."
      head={['Person', 'Asked (UTC)', 'State', 'Note']}
      rows={store.leads.map(lead => [
        <a class="cell-link" href={paths.lead(store.trial.id, lead.id)}>
          <b>{lead.name || lead.email}</b>
          <span>{lead.email}</span>
        </a>,
        formatMoment(lead.askedAt, 'UTC', now),
        <LeadBadge lead={lead} now={now} />,
        shortened(lead.note),
      ])}
    />
    {store.uninstalls.length > 0 && (
      <Rows
        id="store-uninstalls"
        title="Uninstalls"
        empty=""
        head={['When (UTC)', 'Why', 'In the merchant’s words']}
        rows={store.uninstalls.map(({ at, finishedAt, category, reason }) => [
          <>
            {formatMoment(at, 'UTC', now)}
            {finishedAt === null && <span class="cell-sub">Not finished</span>}
          </>,
          uninstallWords(category),
          reason || '–',
        ])}
      />
    )}
    <div class="columns">
      <Rows
        id="store-discounts"
        title="Discounts"
        empty="No discount code was used."
        head={['Code', 'Value', 'Plan', 'Since']}
        rows={store.discounts.map(one => [
          one.code,
          discountValue(one),
          one.plan,
          formatDate(one.at, 'UTC'),
        ])}
      />
      <Rows
        id="store-earnings"
        title="Earnings"
        empty="No earnings yet."
        head={['Month', 'Plan', 'Gross', 'Net']}
        numbers={[2, 3]}
        rows={store.earnings.map(({ month, plan, gross, net }) => [
          month,
          plan,
          formatMoney(gross),
          formatMoney(net),
        ])}
      />
    </div>
    <Rows
      id="store-jobs"
      title="Failed jobs"
      empty="No failed jobs."
      head={['When (UTC)', 'Job', 'Error']}
      rows={store.failedJobs.map(({ at, kind, message }) => [
        formatMoment(at, 'UTC', now),
        jobWords[kind],
        message || 'No message',
      ])}
    />
    {store.notUndone.length > 0 && (
      <Rows
        id="store-not-undone"
        title="Left in the shop, which refused to put it back"
        empty=""
        head={['Changed (UTC)', 'What', 'The shop’s reason']}
        rows={store.notUndone.map(({ at, what, why }) => [formatMoment(at, 'UTC', now), what, why])}
      />
    )}
    <Rows
      id="store-acts"
      title="Staff activity"
      empty="No activity yet."
      head={['When (UTC)', 'Who', 'What']}
      rows={store.acts.map(({ at, by, act, detail }) => [
        formatMoment(at, 'UTC', now),
        by?.name ?? 'System',
        `${act}${detail ? `: ${detail}` : ''}`,
      ])}
    />
  </>
)

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

type RowsProps = {
  id: string
  title: string
  empty: string
  head: readonly string[]
  rows: readonly (readonly ComponentChildren[])[]
  /** Columns of figures. */ numbers?: readonly number[]
}
const Rows = ({ id, title, empty, head, rows, numbers = [] }: RowsProps) => (
  <section class="card" aria-labelledby={id}>
    <div class="card-head">
      <h2 id={id}>{title}</h2>
    </div>
    {rows.length === 0 ? (
      <p class="card-body muted">{empty}</p>
    ) : (
      <div class="table-scroll">
        <table class="table">
          <thead>
            <tr>
              {head.map((name, i) => (
                <th key={name} scope="col" class={numbers.includes(i) ? 'num' : undefined}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((cells, n) => (
              <tr key={n}>
                {cells.map((cell, i) => (
                  <td key={i} class={numbers.includes(i) ? 'num' : 'wraps'}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
)
