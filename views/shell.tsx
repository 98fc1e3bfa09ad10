import { formatCount, formatDate } from '../domain/figures.ts'
import { paths } from '../domain/paths.ts'
import { blockedReasons, type BlockedReason } from '../domain/navigation.ts'
import { formatLimit, unlimitedVisitors } from '../domain/plans/plan.ts'
import type { Section } from '../domain/routes.ts'
import type { StoreInfo, StoreStatus } from '../domain/stores/store.ts'
import { progressTone, usageOf } from '../domain/plans/usage.ts'
import { Icon, Logo, type IconName } from './icons.tsx'

type TopbarProps = {
  store: StoreInfo
  /** Where the Docs link leads. */
  docs: string
  /**
   * False on onboarding routes, and while the store may use only one page: the bar then has no
   * menu.
   */
  isFree: boolean
}
type FrameProps = TopbarProps & { status: StoreStatus; section: Section | null; rail: boolean }

const sections: { name: Section; label: string; icon: IconName; href: string }[] = [
  { name: 'tests', label: 'Tests', icon: 'tests', href: paths.home() },
  { name: 'recommendations', label: 'Lift Assist', icon: 'assist', href: paths.recommendations() },
  { name: 'settings', label: 'Settings', icon: 'settings', href: paths.settings() },
]

/**
 * Everything around a page's content: top bar and side navigation. `rail` folds the navigation to
 * icons, for the editor.
 */
export function Frame({ store, status, docs, isFree, section, rail }: FrameProps) {
  return (
    <>
      <Topbar store={store} docs={docs} isFree={isFree} />
      <nav class="sidenav" aria-label="Main">
        <a
          class="button"
          href={paths.draft()}
          aria-label={rail ? 'Create a test' : undefined}
          title={rail ? 'Create a test' : undefined}
        >
          <Icon name="plus" />
          {!rail && 'Create a test'}
        </a>
        <ul class="nav-list">
          {sections.map(({ name, label, icon, href }) => (
            <li key={name}>
              <a
                href={href}
                aria-current={name === section ? 'page' : undefined}
                aria-label={rail ? label : undefined}
                title={rail ? label : undefined}
              >
                <Icon name={icon} />
                {!rail && label}
              </a>
            </li>
          ))}
        </ul>
        {!rail && <Usage status={status} timeZone={store.timeZone} isTrial={store.trial} />}
      </nav>
    </>
  )
}

const storeLinks: { label: string; icon: IconName; href: string }[] = [
  { label: 'My account', icon: 'account', href: paths.settings('account') },
  { label: 'Notifications', icon: 'bell', href: paths.settings('notifications') },
  { label: 'Plan & Billing', icon: 'card', href: paths.settings('billing') },
]

/** Our own guide opens in the same tab; a guide on another site opens in a new one, and says so. */
const DocsLink = ({ docs }: { docs: string }) =>
  docs === paths.help() ? (
    <a class="topbar-link" href={docs}>
      Docs
    </a>
  ) : (
    <a class="topbar-link" href={docs} target="_blank" rel="noopener">
      Docs
      <Icon name="external" />
      <span class="visually-hidden">, opens in a new tab</span>
    </a>
  )

/** The bar over every page of a store. */
export const Topbar = ({ store, docs, isFree }: TopbarProps) => (
  <>
    <a class="skip-link" href="#content">
      Skip to content
    </a>
    <header class="topbar" data-live={paths.live()}>
      <a class="logo" href={paths.home()} aria-label="Twinshelf, home">
        <Logo />
        Twinshelf
      </a>
      <DocsLink docs={docs} />
      {isFree && (
        <a class="topbar-link" href={paths.settings('support')}>
          Support
        </a>
      )}
      {isFree ? (
        <details class="menu store-menu">
          <summary>
            <StoreName store={store} />
            <Icon name="down" />
          </summary>
          <ul class="menu-list">
            {storeLinks.map(({ label, icon, href }) => (
              <li key={href}>
                <a href={href}>
                  <Icon name={icon} />
                  {label}
                </a>
              </li>
            ))}
          </ul>
        </details>
      ) : (
        <span class="menu store-menu">
          <span class="store-plate">
            <StoreName store={store} />
          </span>
        </span>
      )}
    </header>
  </>
)

const StoreName = ({ store }: { store: StoreInfo }) => (
  <>
    <img
      class="store-logo"
      src={paths.storeLogo(store.id)}
      alt=""
      height={28}
      loading="lazy"
      decoding="async"
    />
    <span class="store-name">{store.name}</span>
  </>
)

/** Why a navigation was blocked, on the page where it ended. */
export const Blocked = ({ reason }: { reason: BlockedReason }) => (
  <div class="banner" data-tone="accent" role="status">
    <Icon name="info" />
    <span>{blockedReasons[reason]}</span>
  </div>
)

/**
 * Visitors of this month against the plan's limit: amber from 80%, rose from 90%
 * (requirements 13.11, 13.12).
 */
function Usage({
  status,
  timeZone,
  isTrial,
}: {
  status: StoreStatus
  timeZone: string
  isTrial: boolean
}) {
  if (status.sessionLimit <= 0) return null
  const { colour, percent, filled, isWarned } = usageOf(status)
  const tone = progressTone(colour)
  const shown = `${percent}%`
  return (
    <section class="usage" aria-label="Visitors this month">
      <div class="usage-head">
        {isWarned && (
          <span class="tone" data-tone={tone}>
            <Icon name="warning" />
          </span>
        )}
        Visitors<b>{shown}</b>
      </div>
      <progress
        value={filled}
        max={100}
        data-tone={tone}
        aria-label={`${shown} of this month's visitors used`}
      >
        {shown}
      </progress>
      <span class="note">
        {formatCount(status.sessions)} of{' '}
        {status.sessionLimit === unlimitedVisitors
          ? formatLimit(status.sessionLimit)
          : formatCount(status.sessionLimit)}
        {status.usageReset && (
          <>
            <br />
            Resets {formatDate(status.usageReset, timeZone, false)}
          </>
        )}
        {isTrial && (
          <>
            <br />
            No limit during the trial
          </>
        )}
      </span>
    </section>
  )
}

/**
 * The notice on screens narrower than 1024 px (requirements 4.10). `admin` is the address of the
 * shop's admin.
 */
export const SmallScreenNote = ({ admin }: { admin: string }) => (
  <aside class="card small-screen" aria-label="Small screen">
    <p>Twinshelf is best viewed on a larger screen. Full responsive support is coming soon.</p>
    <form class="row" method="post" action={paths.dismissSmallScreen()}>
      <a class="button small" href={admin} target="_top">
        Return to the platform
      </a>
      <button class="secondary small">Dismiss</button>
    </form>
  </aside>
)

/** The top bar of pages outside the shell: the logo, and perhaps a link into the app. */
export const BareTopbar = ({ back }: { back: string }) => (
  <header class="topbar">
    <span class="logo">
      <Logo />
      Twinshelf
    </span>
    {back && (
      <a class="topbar-link" href={back}>
        Back to the app
      </a>
    )}
  </header>
)
