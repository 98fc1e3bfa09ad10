import type { ComponentChildren } from 'preact'
import { Icon } from '../icons.tsx'
import { swaps } from '../list-links.tsx'
import { Pager } from './admin-list-parts.tsx'
import { type Choice, staffListPath, type StaffListState } from './admin-list-state.ts'

/** The properties of a staff list. */
export type CardProps = {
  state: StaffListState
  count: number
  shown: number
  /** Names the card. */
  label: string
  placeholder: string
  /** Singular and plural of what it lists. */
  noun: readonly [one: string, many: string]
  /** Shown when the list is empty without any search or filter. */
  empty: { title: string; text: string; action?: ComponentChildren }
  tabs?: ComponentChildren
  /** Further filters, shown as select fields next to the search. */
  choices?: Choice[]
  note?: ComponentChildren
  tableClass?: string
  /** Head and body of the table. */
  children: ComponentChildren
}

/**
 * A staff list: tabs, search, table and pages. htmx replaces its parts; without scripts the same
 * links and form load the page.
 */
export function StaffList({
  state,
  count,
  shown,
  label,
  placeholder,
  noun,
  empty,
  tabs,
  choices = [],
  note,
  tableClass = '',
  children,
}: CardProps) {
  const { search } = state
  const chosen = choices.filter(({ name }) => state.filters[name]),
    isNarrowed = search !== '' || chosen.length > 0
  const none = Object.fromEntries(choices.map(({ name }) => [name, '']))
  return (
    <section class="card" id="list" aria-label={label}>
      {tabs && (
        <nav class="tabs" aria-label={`${label}, by kind`} {...swaps('#list')}>
          {tabs}
        </nav>
      )}
      {(count > 0 || isNarrowed) && (
        <search>
          <form
            class="toolbar"
            action={state.path}
            hx-get={state.path}
            hx-trigger="input delay:250ms, submit"
            hx-target="#rows"
            hx-select="#rows"
            hx-swap="outerHTML"
            hx-push-url="true"
            hx-sync="#rows:replace"
          >
            <label class="search-field">
              <span class="visually-hidden">Search</span>
              <Icon name="search" />
              <input
                type="search"
                name="search"
                value={search}
                placeholder={placeholder}
                maxLength={200}
                autocomplete="off"
              />
              <kbd aria-hidden="true">/</kbd>
            </label>
            {choices.map(({ name, label: says, all, options }) => (
              <select key={name} name={name} aria-label={says}>
                <option value="">{all}</option>
                {options.map(([value, text]) => (
                  <option key={value} value={value} selected={value === state.filters[name]}>
                    {text}
                  </option>
                ))}
              </select>
            ))}
            {hiddenOf(state, choices).map(([name, value]) => (
              <input key={name} type="hidden" name={name} value={value} />
            ))}
            {note && <span class="note toolbar-end">{note}</span>}
          </form>
        </search>
      )}
      <div id="rows" class="table-scroll">
        {shown > 0 ? (
          <>
            <table class={`table table-rows ${tableClass}`.trim()}>{children}</table>
            <Pager state={state} count={count} shown={shown} noun={noun} />
          </>
        ) : (
          <Nothing
            {...(chosen.length > 0
              ? {
                  title: `No ${noun[1]} match`,
                  text: 'Change or clear the filters.',
                  action: (
                    <a
                      class="button secondary"
                      href={staffListPath(state, {
                        search: '',
                        filters: { ...state.filters, ...none },
                        page: 0,
                      })}
                    >
                      Clear filters
                    </a>
                  ),
                }
              : isNarrowed
                ? {
                    title: `Nothing found for “${search}”`,
                    text: 'Try another word.',
                    action: (
                      <a
                        class="button secondary"
                        href={staffListPath(state, { search: '', page: 0 })}
                      >
                        Clear the search
                      </a>
                    ),
                  }
                : empty)}
          />
        )}
      </div>
    </section>
  )
}

/**
 * Hidden fields of the search form: when it is sent, browsers replace its address's query by its
 * fields.
 */
function hiddenOf(
  { filters, sort, descending, usual }: StaffListState,
  choices: readonly Choice[],
): [string, string][] {
  const fields = Object.entries(filters).filter(
    ([name, value]) => value !== '' && !choices.some(choice => choice.name === name),
  )
  if (sort !== usual.sort) fields.push(['sort', sort])
  if (descending !== (sort === usual.sort ? usual.descending : false))
    fields.push(['order', descending ? 'descending' : 'ascending'])
  return fields
}

const Nothing = ({ title, text, action }: CardProps['empty']) => (
  <div class="empty">
    <svg viewBox="0 0 72 56" aria-hidden="true">
      <rect class="shelf" x="4" y="24" width="64" height="3" rx="1.5" />
      <rect class="shelf" x="4" y="52" width="64" height="3" rx="1.5" />
      <rect class="ghost" x="14" y="6.5" width="14" height="16" rx="3" />
      <rect class="ghost-accent" x="42" y="34.5" width="14" height="16" rx="3" />
    </svg>
    <h2>{title}</h2>
    <p>{text}</p>
    {action && <div class="row">{action}</div>}
  </div>
)

/** The table's header row. Its links replace only the rows. */
export const StaffHead = ({ children }: { children: ComponentChildren }) => (
  <thead {...swaps('#rows')}>
    <tr>{children}</tr>
  </thead>
)
