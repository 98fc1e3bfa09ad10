import type { DesignGroup } from './design.tsx'
import { statusOf } from './design-examples.ts'
import { VisitorUsage } from '../settings/account.tsx'
import { Confirm } from '../confirm.tsx'
import { Facts } from '../facts.tsx'
import { Icon, iconNames } from '../icons.tsx'
import { opens } from '../modal.tsx'
import { Toasts } from '../toasts.tsx'
import { SampleLabel } from '../sample-label.tsx'

const tones = ['accent', 'good', 'warn', 'bad', 'neutral'] as const
const bannerTexts: Record<(typeof tones)[number], string> = {
  accent: 'This test shares visitors with Kiln theme 3.0.',
  good: 'Discount for 20% off Advanced 100k (Annually) applied',
  warn: 'At the limit, running tests are put on hold.',
  bad: 'No winner can be named; most visitors are lost between applied and exposed.',
  neutral: 'Nothing goes live before you launch it.',
}

/** Specimens of components that are made of others. */
export const largerGroups: DesignGroup[] = [
  {
    id: 'badges',
    title: 'Badges, tabs, facts',
    note: 'A word and a shape, never colour alone.',
    specimens: [
      {
        caption: 'Tones',
        view: (
          <div class="row">
            {tones.map(tone => (
              <span key={tone} class="badge" data-tone={tone}>
                {tone}
              </span>
            ))}
          </div>
        ),
      },
      {
        caption: 'Marks',
        view: (
          <div class="row">
            <SampleLabel isDemo />
            <span class="badge" data-tone="warn">
              <Icon name="crown" />
              Pro
            </span>
            <span class="tab-count">12</span>
            <span class="initials" aria-hidden="true">
              FK
            </span>
            <kbd>/</kbd>
          </div>
        ),
      },
      {
        caption: 'Tabs',
        view: (
          <nav class="tabs" aria-label="Tests by status">
            <a href="/" aria-current="page">
              Running <span class="tab-count">12</span>
            </a>
            <a href="/">
              Ended <span class="tab-count">23</span>
            </a>
            <a href="/">Drafts</a>
          </nav>
        ),
      },
      {
        caption: 'Facts',
        view: (
          <div class="card">
            <div class="card-head">
              <h2>Store</h2>
              <span class="note">As the shop has it</span>
            </div>
            <Facts
              facts={[
                ['Shop', 'fern-and-kiln.example'],
                ['Currency', 'USD'],
              ]}
            />
          </div>
        ),
      },
      {
        caption: 'Icons',
        view: (
          <div class="row">
            {iconNames.map(name => (
              <span key={name} title={name}>
                <Icon name={name} />
              </span>
            ))}
          </div>
        ),
      },
    ],
  },
  {
    id: 'messages',
    title: 'Banners and toasts',
    note: '.banner: one thing that matters on this page. Toasts stand bottom centre until they are closed, at most 20.',
    specimens: [
      ...tones.map(tone => ({
        caption: `Banner, ${tone}`,
        view: (
          <div class="banner" data-tone={tone}>
            <Icon
              name={
                tone === 'good'
                  ? 'check'
                  : tone === 'accent' || tone === 'neutral'
                    ? 'info'
                    : 'warning'
              }
            />
            <span>{bannerTexts[tone]}</span>
            {tone === 'warn' && (
              <span class="row">
                <a class="button secondary small" href="/">
                  See plans
                </a>
              </span>
            )}
          </div>
        ),
      })),
      {
        caption: 'Toasts',
        view: (
          <Toasts
            toasts={[
              { text: 'Test launched.', tone: 'good' },
              { text: 'One stays on hold: its cause is still there.', tone: 'bad' },
              { text: 'Another window changed this draft.', tone: 'plain' },
            ]}
          />
        ),
      },
    ],
  },
  {
    id: 'progress',
    title: 'Progress and usage',
    note: 'Icon and amber from 80%, rose from 90%, the bar capped at 100%. No spinner: what is waited for stays and is dimmed.',
    specimens: [
      ...[50_000, 80_000, 90_000, 112_340].map(sessions => ({
        caption: `${sessions / 1000}% of the plan’s visitors`,
        view: (
          <div class="card">
            <VisitorUsage status={statusOf(sessions)} isTrial={false} />
          </div>
        ),
      })),
      {
        caption: 'Long work says what it is doing',
        view: (
          <div class="work">
            <div class="row">
              <span>Putting template 7 of 12 back</span>
              <span class="figures">58%</span>
            </div>
            <progress value="58" max="100" aria-label="Uninstall, 58% done">
              58%
            </progress>
          </div>
        ),
      },
      {
        caption: 'Waiting for a part of the page',
        view: (
          <div class="content-waiting" aria-busy="true">
            Reviews above the fold · 58,086 visitors · +12.8%
          </div>
        ),
      },
    ],
  },
  {
    id: 'floating',
    title: 'Menu and dialog',
    note: 'details.menu and dialog: both open before any script runs. A dialog names the act and what is lost.',
    specimens: [
      {
        caption: 'Menu',
        view: (
          <details class="menu">
            <summary class="button secondary">
              <Icon name="eye" />
              Preview
            </summary>
            <ul class="menu-list">
              <li>
                <a href="/">
                  <span class="arm-mark arm-mark-control" />
                  Control on the shop
                </a>
              </li>
              <li>
                <a href="/">
                  <span class="arm-mark" />
                  Variant on the shop
                </a>
              </li>
            </ul>
          </details>
        ),
      },
      {
        caption: 'Dialog',
        view: (
          <>
            <a class="button secondary" {...opens('end', '/')}>
              End test
            </a>
            <Confirm
              id="end"
              title="End Reviews above the fold?"
              action="/"
              closed="/"
              act="End test"
              keep="Keep running"
            >
              All visitors see the control again. The result is kept; the test cannot be started
              again.
            </Confirm>
          </>
        ),
      },
      {
        caption: 'Its content',
        view: (
          <div class="modal">
            <h2>End Reviews above the fold?</h2>
            <p class="muted">
              All visitors see the control again. The result is kept; the test cannot be started
              again.
            </p>
            <footer>
              <button class="secondary">Keep running</button>
              <button class="danger">End test</button>
            </footer>
          </div>
        ),
      },
    ],
  },
]
