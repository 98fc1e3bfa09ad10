import { formatMoment } from '../../../domain/figures.ts'
import { paths } from '../../../domain/paths.ts'
import {
  type Lead,
  type LeadMailing,
  type LeadState,
  leadStateLabels,
  leadStates,
  leadViaWords,
} from '../../../domain/staff/staff-leads.ts'
import { FilterTab, SortBy } from '../admin-list-parts.tsx'
import { StaffHead, StaffList } from '../admin-list.tsx'
import type { StaffListState } from '../admin-list-state.ts'
import { LeadBadge, LeadMailBanner, shortened } from '../lead-parts.tsx'

export type LeadsProps = {
  state: StaffListState
  leads: Lead[]
  count: number
  counts: Record<LeadState, number>
  mailing: LeadMailing
  /** How many the mail server has refused so far. */
  failing: number
  now: Date
}

/** Merchants' requests for a custom plan, in all stores. */
export const Leads = ({ state, leads, count, counts, mailing, failing, now }: LeadsProps) => (
  <>
    <div class="page-head">
      <h1>Plan requests</h1>
    </div>
    <LeadMailBanner mailing={mailing} failing={failing} />
    <StaffList
      state={state}
      count={count}
      shown={leads.length}
      label="Plan requests"
      placeholder="Person, store or shop"
      noun={['request', 'requests']}
      note="Times are UTC"
      empty={
        state.filters['state']
          ? {
              title: `No request is ${leadStateLabels[state.filters['state'] as LeadState].toLowerCase()}`,
              text: 'See the other tabs for requests in other states.',
            }
          : {
              title: 'No plan requests yet',
              text: 'A request appears here when a merchant asks for a custom plan or a call.',
            }
      }
      tabs={
        <>
          <FilterTab
            state={state}
            filters={{ state: '' }}
            label="All"
            count={leadStates.reduce((sum, name) => sum + counts[name], 0)}
          />
          {leadStates.map(name => (
            <FilterTab
              key={name}
              state={state}
              filters={{ state: name }}
              label={leadStateLabels[name]}
              count={counts[name]}
            />
          ))}
        </>
      }
    >
      <StaffHead>
        <SortBy state={state} sort="name" label="Person" class="col-store" />
        <SortBy state={state} sort="store" label="Store" class="col-store" />
        <SortBy state={state} sort="askedAt" label="Asked" largest />
        <th scope="col">State</th>
        <th scope="col">Note</th>
      </StaffHead>
      <tbody>
        {leads.map(lead => (
          <tr key={lead.id}>
            <th scope="row">
              <a class="cell-link" href={paths.lead(lead.store.id, lead.id)}>
                <b>{lead.name || lead.email}</b>
                <span>{lead.email}</span>
              </a>
            </th>
            <td>
              <a class="cell-link" href={paths.admin('stores/trials', lead.store.id)}>
                <b>{lead.store.name}</b>
                <span>{lead.store.shop}</span>
              </a>
            </td>
            <td>
              {formatMoment(lead.askedAt, 'UTC', now)}
              <span class="cell-sub">{leadViaWords[lead.via]}</span>
            </td>
            <td>
              <LeadBadge lead={lead} now={now} />
            </td>
            <td class="wraps col-note">{shortened(lead.note)}</td>
          </tr>
        ))}
      </tbody>
    </StaffList>
  </>
)
