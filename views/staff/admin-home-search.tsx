import type { ComponentChildren } from 'preact'
import { paths } from '../../domain/paths.ts'
import type { StaffFound } from '../../domain/staff/staff-overview.ts'
import { SampleLabel } from '../sample-label.tsx'

/** The stores, tests and orders that staff found with the search. */
export function StaffSearch({
  search,
  found: { stores, tests, orders },
}: {
  search: string
  found: StaffFound
}) {
  const count = stores.length + tests.length + orders.length
  return (
    <>
      <div class="page-head">
        <a class="back-link" href={paths.admin()}>
          Overview
        </a>
        <h1>Results for “{search}”</h1>
      </div>
      {count === 0 && (
        <section class="card">
          <div class="empty">
            <h2>No store, test or order found</h2>
            <p>
              Search for a store’s name, domain or e-mail, a test’s name or ID, or an order’s number
              or ID.
            </p>
          </div>
        </section>
      )}
      <Group
        title="Stores"
        shown={stores.map(store => ({
          key: store.id,
          href: paths.admin('stores/trials', store.id),
          name: store.name,
          detail: store.shop,
          isDemo: store.isDemo,
        }))}
      />
      <Group
        title="Tests"
        shown={tests.map(({ id, title, store }) => ({
          key: id,
          href: `${paths.admin('tests')}?search=${encodeURIComponent(title)}`,
          name: title,
          detail: store.name,
          isDemo: store.isDemo,
        }))}
      />
      <Group
        title="Orders"
        shown={orders.map(({ id, name, store }) => ({
          key: `${store.id} ${id}`,
          href: paths.admin('stores/trials', store.id),
          name: `Order ${name}`,
          detail: store.name,
          isDemo: store.isDemo,
        }))}
      />
    </>
  )
}

type Shown = { key: string; href: string; name: string; detail: string; isDemo: boolean }
const Group = ({ title, shown }: { title: string; shown: Shown[] }): ComponentChildren =>
  shown.length === 0 ? null : (
    <section class="card" aria-label={title}>
      <div class="card-head">
        <h2>{title}</h2>
      </div>
      <div class="table-scroll">
        <table class="table">
          <tbody>
            {shown.map(({ key, href, name, detail, isDemo }) => (
              <tr key={key}>
                <th scope="row">
                  <a class="cell-link" href={href}>
                    <b>{name}</b>
                    <span>{detail}</span>
                  </a>
                </th>
                <td class="num">
                  <SampleLabel isDemo={isDemo} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
