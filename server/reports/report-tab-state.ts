import type { FastifyRequest } from 'fastify'
import type { Test } from '../../domain/tests/ab-test.ts'
import type { Capability } from '../../domain/access.ts'
import { isCompared, unknownCountry, visitorKinds } from '../../domain/reports/breakdown.ts'
import { channels } from '../../domain/events/channel.ts'
import { devices } from '../../domain/device.ts'
import { tabNamed, type PartTab } from '../../domain/reports/report-tab.ts'
import { goalNames } from '../../domain/reports/goal.ts'
import type { ImportFact } from '../../domain/imports/import-facts.ts'
import { metricOfSlug } from '../../domain/reports/metric.ts'
import { isSplitBroken } from '../../domain/reports/uncompared.ts'
import { goalSlug, isFiltered, noFilters, type Chosen } from '../../views/reports/report-links.ts'
import type { FilterName } from '../../views/reports/tabs/report-tab-filters.tsx'
import {
  listField,
  usualList,
  usualPageSize,
  usuallyDescending,
  type ListName,
  type ListState,
  type TabState,
} from '../../views/reports/tabs/report-tab-links.tsx'
import { isOpen } from '../session/access.ts'

/**
 * The choices in an address that all pages of a report carry along. `unknown`: filters with an
 * invalid value, which count as not set.
 */
export function chosenIn(query: URLSearchParams): { chosen: Chosen; unknown: FilterName[] } {
  // Separated by commas, or one by one as a form sends them.
  const named = query
    .getAll('channels')
    .flatMap(value => value.split(','))
    .filter(Boolean)
  const several = channels.filter(name => named.includes(name)),
    isKnown = (name: string): boolean => channels.some(each => each === name)
  const asked = (name: FilterName) => query.get(name) || 'all'
  const device = devices.find(name => name === asked('device')),
    visitors = visitorKinds.find(name => name === asked('visitors'))
  const country =
    asked('country') === unknownCountry || /^[A-Z]{2}$/.test(asked('country'))
      ? asked('country')
      : undefined
  const found = { device, visitors, country }
  return {
    chosen: {
      device: device ?? 'all',
      visitors: visitors ?? 'all',
      channels: several.length === channels.length ? [] : several,
      country: country ?? 'all',
      goal: goalNames.find(name => goalSlug(name) === query.get('goal')) ?? null,
      metric: metricOfSlug(query.get('metric') ?? ''),
    },
    unknown: [
      ...(['device', 'visitors', 'country'] as const).filter(
        name => asked(name) !== 'all' && found[name] === undefined,
      ),
      ...(named.every(isKnown) ? [] : ['channels' as const]),
    ],
  }
}

/** The state of a tab, from its address. Invalid values count as the defaults. */
export function stateOf(testId: string, tab: PartTab, query: URLSearchParams): TabState {
  return {
    testId,
    tab,
    ...chosenIn(query).chosen,
    list: listOf(tab, 'list', query),
    second: listOf(tab, 'second', query),
    search: tabNamed(tab).hasSearch ? (query.get('search') ?? '').trim().slice(0, 200) : '',
    pageSize: numberIn(query.get('pageSize'), 1, 100) ?? usualPageSize,
  }
}

function listOf(tab: PartTab, name: ListName, query: URLSearchParams): ListState {
  const asked = (field: keyof ListState) => query.get(listField(tab, name, field))
  const sort = tabNamed(tab).sorts.find(each => each === asked('sort')) ?? usualList(tab).sort,
    order = asked('descending')
  return {
    page: numberIn(asked('page'), 0, 1_000_000) ?? 0,
    sort,
    descending: order === 'true' || order === 'false' ? order === 'true' : usuallyDescending(sort),
  }
}

function numberIn(text: string | null, from: number, to: number): number | null {
  if (text === null || !/^\d{1,7}$/.test(text)) return null
  const number = Number(text)
  return number >= from && number <= to ? number : null
}

/**
 * Fits a tab's state to the test. A list is not sorted by a comparison of arms when the arms are
 * not compared, and filters for facts that an imported file does not contain are dropped.
 */
export function fitting(state: TabState, test: Pick<Test, 'notInFile' | 'summary'>): TabState {
  const usual = (list: ListState): ListState =>
    isSplitBroken(test) && isCompared(list.sort) ? usualList(state.tab) : list
  const untold = (fact: ImportFact) => test.notInFile.includes(fact)
  return {
    ...state,
    list: usual(state.list),
    second: usual(state.second),
    device: untold('device') ? noFilters.device : state.device,
    visitors: untold('visitors') ? noFilters.visitors : state.visitors,
    channels: untold('channel') ? noFilters.channels : state.channels,
    country: untold('country') ? noFilters.country : state.country,
  }
}
/** Whether `fitting` may change the state. */
export const mayNeedFitting = (state: TabState): boolean =>
  isFiltered(state) || isCompared(state.list.sort) || isCompared(state.second.sort)

/**
 * Drops filters that the store may not use: a filter needs the same capability as the breakdown by
 * the same thing. `refused` lists the capabilities that are missing, so that the page can say so.
 */
export function allowed(
  request: FastifyRequest,
  state: TabState,
): { state: TabState; refused: Capability[] } {
  const refused: Capability[] = []
  const open = { ...state }
  const hold = (isSet: boolean, capability: Capability, lift: () => void) => {
    if (!isSet || isOpen(request, capability)) return
    lift()
    refused.push(capability)
  }
  hold(state.visitors !== 'all', 'VisitorReporting', () => {
    open.visitors = 'all'
  })
  hold(state.channels.length > 0, 'ChannelsReporting', () => {
    open.channels = []
  })
  hold(state.country !== 'all', 'CountrySegmentation', () => {
    open.country = 'all'
  })
  return { state: open, refused }
}
