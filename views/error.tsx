import { paths } from '../domain/paths.ts'
import { Icon } from './icons.tsx'
import { Notice } from './notice.tsx'

type ErrorNoticeProps = {
  status: number
  /** What happened, in words meant for a person; null when only the status is known. */
  message: string | null
  /** Address to try again, where that may help. */
  retry: string | null
  uuid: string | null
  /** Path that leads back into the app. Null for people without a session. */
  home: string | null
  /** Path that was requested, when nothing was found at it. */
  asked?: string | null
  /**
   * Hidden fields of the form that searches the store's tests. Null where there is no such form.
   */
  search?: Record<string, string> | null
  /** On a page of staff's panel, the way back leads to their overview. */
  isStaff?: boolean
}

const titles: Record<number, string> = {
  403: 'You cannot do this',
  404: 'There is nothing here',
  409: 'This has changed',
  413: 'This is too large',
  415: 'This is not a form',
  429: 'Too many requests',
  502: 'We cannot reach your data',
  503: 'We are not ready',
  504: 'This took too long',
}
const texts: Record<number, string> = {
  404: 'The page may have been moved or deleted.',
  413: 'What you sent is too large for this form.',
  415: 'Only forms of this app can be sent here.',
}

/** Labels of the way back, for a store that may use only one page (domain/startup.ts). */
const homeLabels: Record<string, string> = {
  [paths.overlay('noplan')]: 'Back to your plan',
  [paths.overlay('selectplan')]: 'Choose your plan',
  [paths.welcome()]: 'Continue the setup',
  [paths.uninstalled()]: 'See what was uninstalled',
}

export function ErrorNotice({
  status,
  message,
  retry,
  uuid,
  home,
  asked = null,
  search = null,
  isStaff,
}: ErrorNoticeProps) {
  const title =
    titles[status] ?? (status >= 500 ? 'Something went wrong' : 'This could not be done')
  const text =
    message ??
    texts[status] ??
    (status >= 500
      ? 'This is our fault. We have recorded it.'
      : 'We could not understand the request.')
  return (
    <Notice
      title={title}
      {...(uuid && { uuid })}
      more={
        asked !== null && (
          <>
            <p class="note">
              You asked for{' '}
              <code>{asked.length > longest ? `${asked.slice(0, longest)}…` : asked}</code>
            </p>
            {search && <SearchTests carried={search} />}
          </>
        )
      }
      actions={
        <>
          {retry && (
            <a class="button" href={retry}>
              Try again
            </a>
          )}
          {home && (
            <a class="button secondary" href={home}>
              {homeLabels[home.split('?', 1)[0]!] ?? 'Back to tests'}
            </a>
          )}
          {isStaff && (
            <a class="button secondary" href={paths.admin()}>
              Back to the overview
            </a>
          )}
        </>
      }
    >
      {text}
      {retry && !isStaff && ' Your shop and its running tests are not affected.'}
    </Notice>
  )
}

/** The most characters of an address that are shown. */
const longest = 120

/** Searches every tab of the list, because the test may have another address by now. */
const SearchTests = ({ carried }: { carried: Record<string, string> }) => (
  <search>
    <form class="row" action={paths.home()}>
      <input type="hidden" name="everywhere" value="1" />
      {Object.entries(carried).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <label class="search-field">
        <span class="visually-hidden">Search tests and drafts by name</span>
        <Icon name="search" />
        <input
          type="search"
          name="search"
          placeholder="Search all tests"
          maxLength={200}
          autocomplete="off"
        />
      </label>
      <button class="secondary">Search</button>
    </form>
  </search>
)
