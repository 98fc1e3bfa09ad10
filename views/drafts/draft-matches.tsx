import { formatCount } from '../../domain/figures.ts'
import { matchesPattern } from '../../domain/tests/url-pattern.ts'
import type { ShopPage } from './draft-editor.tsx'
import { Icon } from '../icons.tsx'

type PatternMatchesProps = {
  /** URL patterns as typed. Each is for one page or for several. */
  patterns: string[]
  /** All pages of the shop; empty when the shop does not answer. */
  pages: ShopPage[]
  /** What is wrong with the patterns themselves. */
  problem?: string | undefined
}

/** The shop's pages that match, for each pattern. It is fetched again while the merchant types. */
export function PatternMatches({ patterns, pages, problem }: PatternMatchesProps) {
  const matched = pages.filter(page => patterns.some(pattern => matchesPattern(pattern, page.url)))
  return (
    <div id="matches" class="stack-tight" role="status">
      {problem ? (
        <p class="field-error">
          <Icon name="warning" />
          {problem}
        </p>
      ) : (
        patterns.length > 0 &&
        pages.length > 0 && (
          <p class="field-label">
            {matched.length === 0
              ? 'No page of the shop matches'
              : `${formatCount(matched.length)} of ${formatCount(pages.length)} pages match`}
          </p>
        )
      )}
      {pages.length === 0 && (
        <p class="note">Your shop’s pages cannot be loaded right now, so none are listed here.</p>
      )}
      {patterns.length > 0 && !problem && pages.length > 0 && (
        <ul class="pattern-list">
          {patterns.map(pattern => (
            <PatternLine
              key={pattern}
              pattern={pattern}
              count={pages.filter(page => matchesPattern(pattern, page.url)).length}
            />
          ))}
        </ul>
      )}
      {matched.length > 0 && !problem && (
        <ul class="match-list match-list-all" tabIndex={0} aria-label="Pages that match">
          {matched.map(page => (
            <li key={page.url} title={page.title}>
              {page.url}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function PatternLine({ pattern, count }: { pattern: string; count: number }) {
  return (
    <li data-tone={count > 0 ? 'good' : 'warn'}>
      <Icon name={count > 0 ? 'check' : 'warning'} />
      <code>{pattern}</code>
      <span>
        {count === 0
          ? 'No page of the shop matches'
          : `${formatCount(count)} ${count === 1 ? 'page' : 'pages'}`}
      </span>
    </li>
  )
}
