import { attentionOf, watchedOf } from '../../domain/tests/attention.ts'
import { holdCause } from '../../domain/tests/hold-cause.ts'
import { Closed } from '../closed.tsx'
import type { DesignGroup } from './design.tsx'
import { now, statusOf, store } from './design-examples.ts'
import { tests } from './design-example-tests.ts'
import { paths } from '../../domain/paths.ts'
import { poorest } from '../../domain/platform/capabilities.ts'
import { kindLack } from '../../domain/platform/kind-needs.ts'
import { DraftKinds } from '../drafts/draft-kinds.tsx'
import { ErrorNotice } from '../error.tsx'
import { AuthMissing, type Entrance } from '../guest.tsx'
import { Notifications } from '../settings/settings-notifications.tsx'
import { BareTopbar, Blocked, Frame, Topbar } from '../shell.tsx'
import { Uninstalled } from '../stores/uninstall-after.tsx'
import { advancedMonthly } from './design-plans.tsx'

const entrance: Entrance = { admin: '/', app: '/' }

const known: Parameters<typeof attentionOf>[0] = {
  store,
  status: statusOf(93_004),
  plan: advancedMonthly,
  suspended: [],
  charges: [
    {
      id: 'price',
      title: 'Mugs at $29',
      message:
        'Order #1042 was charged $34.00 for Ash glaze mug, but visitors of the variant should pay $29.00.',
    },
  ],
  ga: null,
  now,
  fresh: new Set(['held']),
  onHold: [
    {
      id: 'held',
      title: tests.splitBroken.title,
      status: 'OnHold',
      since: now.toISOString(),
      holdCause: holdCause('pageGone', 'The shop has no page at /pages/gift-guide-2026.'),
    },
  ],
}

export const screenGroups: DesignGroup[] = [
  {
    id: 'closed',
    title: 'Closed features',
    note: 'What it is, what opens it, and where.',
    specimens: [
      {
        caption: 'Opened by a plan',
        view: <Closed capability="LiftAssists" at={paths.design()} />,
      },
      { caption: 'Opened by us', view: <Closed capability="PriceTesting" at={paths.design()} /> },
    ],
  },
  {
    id: 'notices',
    title: 'Errors and notices',
    note: 'What happened, what it means for the shop, and what to do. Never a trace; the number is for support.',
    specimens: [
      {
        caption: 'Not there',
        view: (
          <ErrorNotice status={404} message={null} retry={null} uuid={null} home={paths.home()} />
        ),
      },
      {
        caption: 'Out of reach',
        view: (
          <ErrorNotice
            status={502}
            message="Twinshelf cannot reach its data at the moment."
            retry="/"
            uuid="7d0c1b8e-4b1f-4b5c-9d57-2f1c3a0f6b11"
            home={paths.home()}
          />
        ),
      },
      {
        caption: 'Ours',
        view: (
          <ErrorNotice
            status={500}
            message={null}
            retry={null}
            uuid="7d0c1b8e-4b1f-4b5c-9d57-2f1c3a0f6b11"
            home={paths.home()}
          />
        ),
      },
      { caption: 'Signed out', view: <AuthMissing entrances={[entrance]} /> },
      {
        caption: 'Signed out, and the shop may be on several platforms',
        view: (
          <AuthMissing
            entrances={['One platform', 'Another'].map(label => ({
              ...entrance,
              app: `/#${label}`,
              label,
            }))}
          />
        ),
      },
      {
        caption: 'Uninstalled',
        view: <Uninstalled store="fern-and-kiln" entrances={[entrance]} last={null} />,
      },
      { caption: 'A navigation that was blocked', view: <Blocked reason="selectplan" /> },
    ],
  },
  {
    id: 'frame',
    title: 'Frame',
    note: 'What stands around every page.',
    specimens: [
      {
        caption: 'Top bar and navigation',
        view: (
          <div class="design-frame">
            <Frame
              store={store}
              status={statusOf(84_120)}
              docs="/"
              isFree
              section="tests"
              rail={false}
            />
          </div>
        ),
      },
      {
        caption: 'Folded to icons',
        view: (
          <div class="shell-rail design-frame">
            <Frame
              store={store}
              status={statusOf(50_000)}
              docs="/"
              isFree
              section="settings"
              rail
            />
          </div>
        ),
      },
      {
        caption: 'While the store may go nowhere else',
        view: <Topbar store={store} docs="/" isFree={false} />,
      },
      { caption: 'Outside the shell', view: <BareTopbar back="" /> },
    ],
  },
  {
    id: 'attention',
    title: 'Notifications',
    note: 'Every line says what is wrong and what to do, and leads there.',
    isWide: true,
    specimens: [
      {
        caption: 'Something needs the merchant',
        view: (
          <div class="stack">
            <Notifications
              attention={attentionOf(known)}
              watched={watchedOf(known)}
              onHold={1}
              timeZone={store.timeZone}
            />
          </div>
        ),
      },
      {
        caption: 'Nothing does',
        view: (
          <div class="stack">
            <Notifications
              attention={[]}
              watched={watchedOf({ ...known, onHold: [], suspended: [] })}
              onHold={0}
              timeZone={store.timeZone}
            />
          </div>
        ),
      },
    ],
  },
  {
    id: 'kinds',
    title: 'Kinds of test',
    note: 'One that is closed to the store, or impossible in its shop, says what opens it.',
    isWide: true,
    specimens: [
      {
        caption: 'One open, one closed, one impossible',
        view: (
          <div class="stack">
            <DraftKinds
              open={['UrlRedirect']}
              kinds={['UrlRedirect', 'PageElement', 'Price']}
              lacking={{ Price: kindLack('Price', poorest)! }}
            />
          </div>
        ),
      },
    ],
  },
]
