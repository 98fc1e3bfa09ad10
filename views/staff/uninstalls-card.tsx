import { formatCount, formatMoment } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import { trendDays } from '../../domain/staff/staff-overview.ts'
import { type StaffUninstalls, uninstallWords } from '../../domain/staff/staff-uninstalls.ts'
import { SampleLabel } from '../sample-label.tsx'

type Props = { uninstalls: StaffUninstalls; now: Date }

/** Which stores left lately, and why. */
export const UninstallsCard = ({ uninstalls: { count, categories, newest }, now }: Props) => (
  <section class="card" aria-labelledby="uninstalls">
    <div class="card-head">
      <h2 id="uninstalls">Uninstalls</h2>
      <span class="note">
        {count === 0
          ? `${trendDays} days`
          : `${formatCount(count)} in ${trendDays} days${count > newest.length ? `, the newest ${newest.length}` : ''}`}
      </span>
    </div>
    {newest.length === 0 ? (
      <p class="card-body muted">
        No store has uninstalled Twinshelf in the last {trendDays} days.
      </p>
    ) : (
      <>
        {categories.length > 0 && (
          <p class="card-body muted">
            {categories
              .map(({ category, count }) => `${uninstallWords(category)}: ${formatCount(count)}`)
              .join(' · ')}
          </p>
        )}
        <div class="table-scroll">
          <table class="table table-rows">
            <thead>
              <tr>
                <th scope="col" class="col-store">
                  Store
                </th>
                <th scope="col">When (UTC)</th>
                <th scope="col">Why</th>
                <th scope="col">In the merchant’s words</th>
              </tr>
            </thead>
            <tbody>
              {newest.map(({ store, at, category, reason }) => (
                <tr key={`${store.id} ${at}`}>
                  <th scope="row">
                    <a class="cell-link" href={paths.admin('stores/trials', store.id)}>
                      <b>{store.name}</b>
                      <span>{store.shop}</span>
                    </a>
                    <SampleLabel isDemo={store.isDemo} />
                  </th>
                  <td>{formatMoment(at, 'UTC', now)}</td>
                  <td class="wraps">{uninstallWords(category)}</td>
                  <td class="wraps">{reason || '–'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </>
    )}
  </section>
)
