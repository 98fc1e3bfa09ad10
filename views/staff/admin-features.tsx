import { type FeatureFlag, flagGroups, flagsOf, flagWords } from '../../domain/feature-flag.ts'
import { formatCount } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import type { FeatureStore } from '../../domain/staff/staff-stores.ts'
import { SortBy, StoreCell } from './admin-list-parts.tsx'
import { StaffHead, StaffList } from './admin-list.tsx'
import { type StaffListState, staffListPath } from './admin-list-state.ts'
import { SampleLabel } from '../sample-label.tsx'

export type FeaturesProps = {
  state: StaffListState
  stores: FeatureStore[]
  count: number
  /** The store whose flags are being changed. */ chosen: FeatureStore | null
}

export const Features = ({ state, stores, count, chosen }: FeaturesProps) => (
  <>
    <div class="page-head">
      <h1>Feature flags</h1>
    </div>
    {chosen && <FlagsForm store={chosen} back={staffListPath(state)} />}
    <StaffList
      state={state}
      count={count}
      shown={stores.length}
      label="Stores"
      placeholder="Store, domain or e-mail"
      noun={['store', 'stores']}
      empty={{ title: 'No stores yet', text: 'A store appears here after its first sign-in.' }}
      note="A flag switches on a feature that the store’s plan does not include"
    >
      <StaffHead>
        <SortBy state={state} sort="name" label="Store" class="col-store" />
        <th scope="col">Plan</th>
        <SortBy state={state} sort="flags" label="Flags that are on" largest />
        <th scope="col">
          <span class="visually-hidden">Change</span>
        </th>
      </StaffHead>
      <tbody>
        {stores.map(store => (
          <tr key={store.id}>
            <StoreCell store={store} href={withStore(state, store.id)} />
            <td>
              {store.status === 'uninstalled' ? (
                <span class="muted">Uninstalled</span>
              ) : (
                (store.plan ?? <span class="muted">None</span>)
              )}
            </td>
            <td>
              {store.flags.length > 0 ? (
                <span class="row flag-list">
                  {store.flags.map(flag => (
                    <span key={flag} class="badge">
                      {flagWords[flag].label}
                    </span>
                  ))}
                </span>
              ) : (
                <span class="muted">None</span>
              )}
            </td>
            <td class="num">
              <a
                class="button secondary small"
                href={withStore(state, store.id)}
                aria-label={`Change the flags of ${store.name}`}
              >
                Change
              </a>
            </td>
          </tr>
        ))}
      </tbody>
    </StaffList>
  </>
)

function withStore(state: StaffListState, id: string): string {
  const path = staffListPath(state)
  return `${path}${path.includes('?') ? '&' : '?'}store=${id}`
}

/**
 * All flags of one store. `was` names the flags that were on when the form was shown, so that what
 * others have switched since then stays.
 */
function FlagsForm({ store, back }: { store: FeatureStore; back: string }) {
  return (
    <section class="card" aria-labelledby="flags-of">
      <form method="post" action={paths.admin('stores/features', store.id)}>
        <div class="card-head">
          <h2 id="flags-of">{store.name}</h2>
          <SampleLabel isDemo={store.isDemo} />
          <span class="note">
            {store.shop} · {store.plan ?? 'no plan'} · {formatCount(store.flags.length)} on
          </span>
        </div>
        <input type="hidden" name="was" value={store.flags.join(',')} />
        <div class="card-body flag-groups">
          {(Object.keys(flagGroups) as (keyof typeof flagGroups)[]).map(group => (
            <fieldset key={group}>
              <legend>{flagGroups[group]}</legend>
              {flagsOf(group).map(flag => (
                <FlagCheck key={flag} flag={flag} isOn={store.flags.includes(flag)} />
              ))}
            </fieldset>
          ))}
        </div>
        <footer class="card-foot">
          <span>
            Changes apply from the store’s next page on and are recorded in the audit log.
          </span>
          <span class="row card-foot-end">
            <a class="button secondary" href={back}>
              Cancel
            </a>
            <button>Save flags</button>
          </span>
        </footer>
      </form>
    </section>
  )
}

const FlagCheck = ({ flag, isOn }: { flag: FeatureFlag; isOn: boolean }) => (
  <label class="check" for={flag}>
    <input
      type="checkbox"
      id={flag}
      name={flag}
      value="on"
      checked={isOn}
      aria-describedby={`${flag}-effect`}
    />
    <span>
      {flagWords[flag].label}
      <span class="field-help flag-effect" id={`${flag}-effect`}>
        {flagWords[flag].effect}
      </span>
    </span>
  </label>
)
