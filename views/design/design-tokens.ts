/**
 * Name, value as in public/styles/tokens.css, and purpose. A test compares this list with that
 * file.
 */
export type Token = readonly [name: `--${string}`, value: string, use: string]

export const tokens = {
  colour: [
    ['--ground', 'light-dark(#f6f5f1, #0f1213)', 'Page'],
    ['--surface', 'light-dark(#ffffff, #171b1d)', 'Cards, inputs'],
    ['--sunken', 'light-dark(#faf9f6, #131718)', 'Heads, wells'],
    ['--hover', 'light-dark(#f5f3ee, #1e2426)', 'Under the pointer'],
    ['--line', 'light-dark(#e8e5de, #283033)', 'Hairlines'],
    ['--line-strong', 'light-dark(#d2cdc3, #3c4649)', 'Edges of buttons'],
    ['--line-control', 'light-dark(#928e86, #6c777b)', 'Edges of inputs, 3:1'],
    ['--ink', 'light-dark(#1a1f23, #e8eced)', 'Text'],
    ['--ink-2', 'light-dark(#50575d, #a9b3b7)', 'Second text'],
    ['--ink-3', 'light-dark(#696f74, #8d979b)', 'Hints, 4.5:1'],
    ['--accent', 'light-dark(#0b5f7a, #68c1d9)', 'Links, the variant'],
    ['--accent-fill', 'light-dark(#0b5f7a, #14768f)', 'Main action'],
    ['--accent-fill-hover', 'light-dark(#084c62, #1a86a2)', 'Main action, under the pointer'],
    ['--accent-soft', 'light-dark(#e4f0f4, #122a32)', 'Chosen'],
    ['--accent-line', 'light-dark(#a9d0db, #245363)', 'Edge of what is chosen'],
    ['--on-accent', '#ffffff', 'Text on the main action'],
    ['--control', 'light-dark(#857f74, #98a1a4)', 'The control'],
    ['--focus', 'light-dark(#0f7fa3, #7fd3ea)', 'Focus ring'],
    ['--good', 'light-dark(#14713f, #6ccb93)', 'Won, passed'],
    ['--good-fill', 'light-dark(#219a5a, #3fae73)', 'Its bars'],
    ['--good-soft', 'light-dark(#e6f4eb, #12291c)', 'Its ground'],
    ['--good-line', 'light-dark(#b3dcc3, #255138)', 'Its edge'],
    ['--warn', 'light-dark(#875500, #e8b550)', 'Look at this'],
    ['--warn-fill', 'light-dark(#e0991a, #dfa233)', 'Its bars'],
    ['--warn-soft', 'light-dark(#fdf3dd, #2c2310)', 'Its ground'],
    ['--warn-line', 'light-dark(#efd49b, #574416)', 'Its edge'],
    ['--bad', 'light-dark(#b3204a, #f58ca5)', 'Lost, failed'],
    ['--bad-fill', 'light-dark(#dc3d66, #e2557a)', 'Its bars'],
    ['--bad-soft', 'light-dark(#fdecf0, #2f161d)', 'Its ground'],
    ['--bad-line', 'light-dark(#f2bccb, #67293a)', 'Its edge'],
  ],
  font: [
    [
      '--font',
      '-apple-system, "Segoe UI Variable Text", "Segoe UI", Inter, Roboto, "Helvetica Neue", system-ui, sans-serif',
      'Everything',
    ],
    [
      '--mono',
      'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
      'Addresses, selectors, code',
    ],
  ],
  size: [
    ['--text-xs', '0.857rem', '12 px: axis labels, counts'],
    ['--text-s', '0.929rem', '13 px: second line, help, table heads'],
    ['--text-m', '1rem', '14 px: tables, labels, buttons'],
    ['--text-l', '1.143rem', '16 px: card titles, the verdict’s sentence'],
    ['--text-xl', '1.429rem', '20 px: page titles, tile figures'],
    ['--text-2xl', '2rem', '28 px: one figure a page'],
  ],
  weight: [
    ['--medium', '500', 'Names, labels, actions'],
    ['--strong', '600', 'Titles, figures'],
  ],
  space: [
    ['--s1', '4px', 'Within a control'],
    ['--s2', '8px', 'Between what belongs together'],
    ['--s3', '12px', 'In rows and toolbars'],
    ['--s4', '16px', 'Between fields'],
    ['--s5', '20px', 'Around a card’s content'],
    ['--s6', '24px', 'Above a page'],
    ['--s8', '32px', 'Beside a page'],
    ['--s10', '40px', 'Around an empty state'],
    ['--s12', '48px', 'Below a page'],
  ],
  radius: [
    ['--radius-s', '4px', 'Marks, codes'],
    ['--radius', '6px', 'Controls'],
    ['--radius-l', '10px', 'Cards'],
    ['--radius-pill', '99px', 'Badges, bars'],
  ],
  length: [
    ['--control-height', '34px', 'Buttons, inputs'],
    ['--row', '54px', 'Row of a list'],
    ['--topbar', '52px', 'Top bar'],
    ['--sidenav', '216px', 'Side navigation'],
  ],
  shadow: [
    ['--shade', 'light-dark(rgb(60 50 30 / 0.05), rgb(0 0 0 / 0.3))', 'Tint of every shadow'],
    ['--shadow-card', '0 1px 2px var(--shade)', 'Cards'],
    [
      '--shadow-float',
      '0 1px 2px var(--shade), 0 12px 32px -8px light-dark(rgb(40 35 20 / 0.22), rgb(0 0 0 / 0.7))',
      'What floats: menus, dialogs, toasts',
    ],
  ],
} as const satisfies Record<string, readonly Token[]>
