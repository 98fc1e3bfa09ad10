import { closedMessage, type Capability } from '../../../domain/access.ts'
import { labelOf, unknownCountry } from '../../../domain/reports/breakdown.ts'
import { channelLabels, channels } from '../../../domain/events/channel.ts'
import { deviceLabels, devices } from '../../../domain/device.ts'
import type { ImportFact } from '../../../domain/imports/import-facts.ts'
import { paths } from '../../../domain/paths.ts'
import { ClosedAction } from '../../closed.tsx'
import { Icon } from '../../icons.tsx'
import { swaps } from '../../list-links.tsx'
import { isFiltered, noFilters, type VisitorsFilter } from '../report-links.ts'
import { fromTheStart, tabPath, tabQuery, type TabState } from './report-tab-links.tsx'

export type FiltersProps = {
  state: TabState
  /** Which of these filters the plan includes. */
  open: { visitors: boolean; channels: boolean }
  /** Facts that an imported file does not contain: they have no filter. */
  notInFile: readonly ImportFact[]
  /**
   * Countries of the test's visitors, most visitors first; null when the plan does not include
   * them.
   */
  countries: readonly string[] | null
  /** Capabilities for filters that the address asks for and the store may not use. */
  refused: readonly Capability[]
  /** Filters that the address sets to a value that does not exist. */
  unknown: readonly FilterName[]
  /**
   * Hidden fields of the form: when it is sent, browsers replace its address's query by its fields.
   */
  carried: Record<string, string>
}

/** Id of the form; a field elsewhere on the page belongs to it by `form`. */
export const filtersForm = 'report-filters'
const visitorsLabels: Record<VisitorsFilter, string> = {
  all: 'Visitors: all',
  new: 'New visitors',
  returning: 'Returning visitors',
}

/**
 * The filters of the figures. A choice takes effect at once; without scripts a button submits it.
 */
export function TabFiltersForm({
  state,
  open,
  notInFile,
  countries,
  refused,
  unknown,
  carried,
}: FiltersProps) {
  const has = (fact: ImportFact) => !notInFile.includes(fact)
  const path = paths.report(state.testId, state.tab),
    isAny =
      has('device') ||
      (open.visitors && has('visitors')) ||
      (open.channels && has('channel')) ||
      (countries !== null && has('country'))
  return (
    <>
      {isAny && (
        <search aria-label="Filters">
          <form
            id={filtersForm}
            class="toolbar report-filters"
            action={path}
            hx-get={path}
            hx-trigger="change target:select, submit"
            hx-target="#panel"
            hx-select="#panel"
            hx-swap="outerHTML"
            hx-push-url="true"
            hx-sync="#panel:replace"
          >
            <Kept state={state} carried={carried} />
            {has('device') && (
              <>
                <label class="visually-hidden" for="filter-device">
                  Device
                </label>
                <select id="filter-device" name="device">
                  <option value="all">Device: all</option>
                  {devices.map(name => (
                    <option key={name} value={name} selected={name === state.device}>
                      {deviceLabels[name]}
                    </option>
                  ))}
                </select>
              </>
            )}
            {open.visitors && has('visitors') && (
              <>
                <label class="visually-hidden" for="filter-visitors">
                  Visitors
                </label>
                <select id="filter-visitors" name="visitors">
                  {Object.entries(visitorsLabels).map(([name, label]) => (
                    <option key={name} value={name} selected={name === state.visitors}>
                      {label}
                    </option>
                  ))}
                </select>
              </>
            )}
            {open.channels && has('channel') && <Channels state={state} />}
            {countries && has('country') && <Countries state={state} countries={countries} />}
            <noscript>
              <button class="secondary">Show</button>
            </noscript>
            <span id="clear-filters" {...swaps('#panel')}>
              {isFiltered(state) && (
                <a class="button quiet" href={tabPath({ ...fromTheStart(state), ...noFilters })}>
                  Clear filters
                </a>
              )}
            </span>
          </form>
        </search>
      )}
      {unknown.length > 0 && (
        <div class="banner" data-tone="warn" role="status">
          <Icon name="info" />
          <div>
            The address names {unknown.map(name => unknownOf[name]).join(' and ')} that does not
            exist, so we ignored {unknown.length > 1 ? 'those filters' : 'that filter'}.
          </div>
        </div>
      )}
      {refused.map(capability => (
        <div key={capability} class="banner" data-tone="warn" role="status">
          <Icon name="info" />
          <div>
            {closedMessage(capability)} The figures below cover all{' '}
            {refusedOf[capability] ?? 'visitors'}.{' '}
            <ClosedAction capability={capability} at={tabPath(state)} class="link" />
          </div>
        </div>
      ))}
    </>
  )
}

export type FilterName = 'device' | 'visitors' | 'channels' | 'country'
const unknownOf: Record<FilterName, string> = {
  device: 'a device',
  visitors: 'a kind of visitor',
  channels: 'a channel',
  country: 'a country',
}
const refusedOf: Partial<Record<Capability, string>> = {
  ChannelsReporting: 'channels',
  CountrySegmentation: 'countries',
}

/** The filters in words, for where the form is not visible; empty without filters. */
export function filterWords({ device, visitors, channels: chosen, country }: TabState): string[] {
  return [
    ...(device === 'all' ? [] : [deviceLabels[device]]),
    ...(visitors === 'all' ? [] : [visitorsLabels[visitors]]),
    ...(chosen.length > 0 ? [chosen.map(name => channelLabels[name]).join(' or ')] : []),
    ...(country === 'all' ? [] : [countryLabel(country)]),
  ]
}
const countryLabel = (code: string): string =>
  code === unknownCountry ? 'Unknown country' : labelOf('country', code)

/**
 * Hidden fields for what the form does not ask: the order of the lists, and the choices of the
 * overview. Lists begin at their first page.
 */
function Kept({ state, carried }: Pick<FiltersProps, 'state' | 'carried'>) {
  const kept = tabQuery({ ...fromTheStart(state), ...noFilters, search: '' })
  return (
    <>
      {[...Object.entries(carried), ...kept].map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
    </>
  )
}

/**
 * A country in the address from which no visitor came is offered too, because it is the one that is
 * shown.
 */
function Countries({
  state: { country: chosen },
  countries,
}: {
  state: TabState
  countries: readonly string[]
}) {
  const offered =
    chosen === 'all' || countries.includes(chosen) ? countries : [chosen, ...countries]
  if (offered.every(code => code === unknownCountry) && chosen === 'all') return null
  return (
    <>
      <label class="visually-hidden" for="filter-country">
        Country
      </label>
      <select id="filter-country" name="country">
        <option value="all">Country: all</option>
        {offered.map(code => (
          <option key={code} value={code} selected={code === chosen}>
            {countryLabel(code)}
          </option>
        ))}
      </select>
    </>
  )
}

/** Several channels can be chosen, so the choice takes effect only when it is submitted. */
function Channels({ state: { channels: chosen } }: { state: TabState }) {
  const words =
    chosen.length === 0 ? 'all' : chosen.length === 1 ? channelLabels[chosen[0]!] : chosen.length
  return (
    <details class="menu filter-menu">
      <summary class="button secondary" id="filter-channels">
        Channels: {words}
        <Icon name="down" />
      </summary>
      <fieldset class="menu-list">
        <legend class="visually-hidden">Channels</legend>
        {channels.map(name => (
          <label key={name} class="check">
            <input type="checkbox" name="channels" value={name} checked={chosen.includes(name)} />
            {channelLabels[name]}
          </label>
        ))}
        <button class="small">Show these</button>
      </fieldset>
    </details>
  )
}
