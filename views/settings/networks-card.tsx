import { formatCount, formatMoment, formatRate } from '../../domain/figures.ts'
import { isSetAside, type Network, networkWords } from '../../domain/events/network.ts'
import { networksId } from '../../domain/paths.ts'

type Props = {
  networks: Network[]
  timeZone: string
  now: Date
  /** Where the choice is posted. */ action: string
}

/**
 * Networks that brought many new visitors in the last 48 hours, and whether their visitors are
 * counted.
 */
export const NetworksCard = ({ networks, timeZone, now, action }: Props) => (
  <section class="card" aria-labelledby={networksId}>
    <div class="card-head">
      <h2 id={networksId}>Networks that brought many visitors</h2>
      <span class="note">Last 48 hours</span>
    </div>
    {networks.length === 0 ? (
      <p class="card-body muted">No network has brought 10 or more new visitors.</p>
    ) : (
      <div class="table-scroll" tabIndex={0} role="region" aria-labelledby={networksId}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Network</th>
              <th scope="col" class="num">
                New visitors
              </th>
              <th scope="col" class="num">
                Share
              </th>
              <th scope="col" class="num">
                Orders
              </th>
              <th scope="col">State</th>
              <th scope="col">
                <span class="visually-hidden">Change</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {networks.map(network => (
              <Row
                key={network.id}
                network={network}
                timeZone={timeZone}
                now={now}
                action={action}
              />
            ))}
          </tbody>
        </table>
      </div>
    )}
    <div class="card-body">
      <p class="note">
        A network is a group of neighbouring addresses, such as an office or a mobile network.
        Addresses are not kept, so each network has a code for 48 hours. Visitors who are set aside
        are in no test and do not use up the plan. A choice holds for 48 hours, and all figures
        follow it.
      </p>
    </div>
  </section>
)

function Row({ network, timeZone, now, action }: { network: Network } & Omit<Props, 'networks'>) {
  const isAside = isSetAside(network),
    name = network.id.slice(0, 6)
  return (
    <tr>
      <th scope="row">
        {name}
        <span class="cell-sub">
          {formatMoment(network.firstSeenAt, timeZone, now)} to{' '}
          {formatMoment(network.lastSeenAt, timeZone, now)}
        </span>
      </th>
      <td class="num">{formatCount(network.visitors)}</td>
      <td class="num">{formatRate(network.share, 1)}</td>
      <td class="num">{formatCount(network.orders)}</td>
      <td>{networkWords(network)}</td>
      <td class="num">
        <form method="post" action={action}>
          <input type="hidden" name="network" value={network.id} />
          <input type="hidden" name="counted" value={isAside ? 'yes' : 'no'} />
          <button
            class="secondary small"
            aria-label={isAside ? `Count network ${name} again` : `Set network ${name} aside`}
          >
            {isAside ? 'Count again' : 'Set aside'}
          </button>
        </form>
      </td>
    </tr>
  )
}
