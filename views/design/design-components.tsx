import type { DesignGroup } from './design.tsx'
import { DraftField } from '../drafts/draft-field.tsx'
import { Icon } from '../icons.tsx'

/** Specimens of the small components. */
export const componentGroups: DesignGroup[] = [
  {
    id: 'buttons',
    title: 'Buttons',
    note: 'button, .button: 34 px high, small ones 28 px. One main action a page; the words name the act.',
    specimens: [
      {
        caption: 'Main, second, quiet, destructive',
        view: (
          <div class="row">
            <button>Launch test</button>
            <button class="secondary">Pause</button>
            <button class="quiet">Cancel</button>
            <button class="danger">End test</button>
          </div>
        ),
      },
      {
        caption: 'Small, with an icon, an icon alone',
        view: (
          <div class="row">
            <button class="small">Launch test</button>
            <button class="secondary small">
              <Icon name="plus" />
              Add
            </button>
            <button class="secondary small icon-only" aria-label="Next page">
              <Icon name="next" />
            </button>
          </div>
        ),
      },
      {
        caption: 'Disabled, under way for more than 400 ms, a link that looks like one',
        view: (
          <div class="row">
            <button disabled>Apply variant</button>
            <button aria-busy="true">Launching test</button>
            <a class="button secondary" href="/">
              See plans
            </a>
          </div>
        ),
      },
      {
        caption: 'One of a few',
        view: (
          <fieldset class="segmented">
            <legend class="visually-hidden">Billing</legend>
            <label>
              <input type="radio" name="billing" />
              Monthly
            </label>
            <label>
              <input type="radio" name="billing" checked />
              Annual{' '}
              <span class="badge" data-tone="good">
                Save 25%
              </span>
            </label>
          </fieldset>
        ),
      },
    ],
  },
  {
    id: 'fields',
    title: 'Fields',
    note: '.field: label above, help below, the error under its field in words. The first one at fault has the focus.',
    specimens: [
      {
        caption: 'With help',
        view: (
          <DraftField
            name="title"
            label="Name of the test"
            help="Only you see it."
            problems={[]}
            control={bound => <input {...bound} value="Delivery promise by the button" />}
          />
        ),
      },
      {
        caption: 'At fault',
        view: (
          <DraftField
            name="email"
            label="Email"
            problems={[{ field: 'email', message: 'Email is required' }]}
            control={bound => <input {...bound} type="email" value="mara@fern" />}
          />
        ),
      },
      {
        caption: 'A choice, several lines',
        view: (
          <div class="stack">
            <DraftField
              name="goal"
              label="Goal"
              problems={[]}
              control={bound => (
                <select {...bound}>
                  <option>Conversion rate</option>
                </select>
              )}
            />
            <DraftField
              name="patterns"
              label="Pages to test"
              help="One address per line."
              problems={[]}
              control={bound => (
                <textarea {...bound} class="code" rows={2}>
                  /products/*
                </textarea>
              )}
            />
          </div>
        ),
      },
      {
        caption: 'Switch and check',
        view: (
          <div class="row">
            <label class="switch">
              <input type="checkbox" role="switch" checked />
              Show as table
            </label>
            <label class="check">
              <input type="checkbox" checked />
              Leave out bots
            </label>
          </div>
        ),
      },
      {
        caption: 'One of many',
        view: (
          <fieldset class="choice-grid">
            <legend>How much testing have you done?</legend>
            {['I have never run a test', 'I have run a few'].map((words, i) => (
              <label key={words} class="choice">
                <input type="radio" name="experience" checked={i === 1} />
                {words}
                <span class="choice-tick">
                  <Icon name="check" />
                </span>
              </label>
            ))}
          </fieldset>
        ),
      },
      {
        caption: 'Search',
        view: (
          <label class="search-field">
            <span class="visually-hidden">Search tests by name</span>
            <Icon name="search" />
            <input type="search" name="search" placeholder="Search tests" />
            <kbd aria-hidden="true">/</kbd>
          </label>
        ),
      },
    ],
  },
]
