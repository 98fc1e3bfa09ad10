import t from 'tap'
import {
  argumentIds,
  contentArgument,
  contentField,
  contentUpdate,
  contentVersionField,
  contentWas,
  contentWasField,
  settingField,
  settingText,
} from '../../../domain/drafts/content-form.ts'
import {
  type ContentSetting,
  longestText,
  type TemplateContent,
} from '../../../domain/themes/template-content.ts'

const setting = (
  id: string,
  kind: ContentSetting['kind'],
  value: ContentSetting['value'],
): ContentSetting => ({ id, label: id, kind, value, control: value, isChanged: false, choices: [] })
const part = (id: string, settings: ContentSetting[]) => ({
  id,
  type: id,
  name: id,
  isShown: true,
  isShownInControl: true,
  settings,
})
const content = (title = 'Who we are', over: Partial<TemplateContent> = {}) => ({
  version: 'two',
  isEditedInShop: false,
  ...over,
  sections: [
    {
      ...part('hero', [
        setting('title', 'text', title),
        setting('wide', 'yesNo', true),
        setting('count', 'number', 4),
        setting('list', 'other', '["a"]'),
      ]),
      areBlocksMoved: false,
      blocks: [part('point', [setting('label', 'longText', 'One\nTwo')])],
    },
    { ...part('foot', [setting('title', 'text', 'End')]), areBlocksMoved: false, blocks: [] },
  ],
})
const field = (name: string, block: string | null = null) => settingField('hero', block, name)
const page = content()
const drawn = { [contentVersionField]: 'one', [contentWasField]: contentWas(page) }
const update = (posted: Record<string, string | string[]>, of = page) => {
  const { sections, problems, isContested } = contentUpdate(of, posted)
  return { sections, problems: problems.map(each => each.field), isContested }
}

t.test(
  'only settings that the merchant changed are sent, each in its section and block',
  async t => {
    t.same(update({}), { sections: [], problems: [], isContested: false })
    t.same(
      update({
        [field('title')]: 'Who we are',
        [field('wide')]: ['', '1'],
        [field('count')]: '4',
        [field('label', 'point')]: 'One\r\nTwo',
      }).sections,
      [],
      'CRLF line ends are no change',
    )
    t.same(
      update({
        [field('title')]: 'We',
        [field('wide')]: '',
        [field('count')]: ' 2,5 ',
        [field('list')]: 'x',
      }).sections,
      [
        {
          id: 'hero',
          settings: [
            { id: 'title', value: 'We' },
            { id: 'wide', value: false },
            { id: 'count', value: 2.5 },
          ],
          blocks: [],
        },
      ],
    )
    t.same(update({ [field('label', 'point')]: 'Three' }).sections, [
      {
        id: 'hero',
        settings: [],
        blocks: [{ id: 'point', settings: [{ id: 'label', value: 'Three' }] }],
      },
    ])
  },
)

t.test('a value that cannot be stored is named at its field; the others are sent', async t => {
  t.same(update({ [field('count')]: 'many', [field('title')]: 'We' }), {
    sections: [{ id: 'hero', settings: [{ id: 'title', value: 'We' }], blocks: [] }],
    problems: [field('count')],
    isContested: false,
  })
  t.same(update({ [field('count')]: '' }).problems, [field('count')])
  t.same(update({ [field('title')]: 'x'.repeat(longestText + 1) }).problems, [field('title')])
  t.same(update({ [field('title')]: 'x'.repeat(longestText) }).problems, [])
})

t.test(
  'a setting that was changed in the shop meanwhile stays, unless it was changed here too',
  async t => {
    const news = content('New in the shop', { isEditedInShop: true })
    t.same(
      update({ ...drawn, [field('title')]: 'Who we are' }, news),
      { sections: [], problems: [], isContested: false },
      'the field has the same text as when the page was drawn',
    )
    t.match(update({ ...drawn, [field('title')]: 'Mine' }, news), {
      sections: [{ settings: [{ id: 'title', value: 'Mine' }] }],
      isContested: true,
    })
    t.match(
      update({ ...drawn, [field('count')]: '5' }, news),
      { sections: [{ settings: [{ id: 'count', value: 5 }] }], isContested: false },
      'another setting is not contested',
    )
    t.match(
      update({ ...drawn, [contentVersionField]: 'two', [field('title')]: 'Mine' }, news),
      { isContested: false },
      'the page was drawn from this version of the file',
    )
    t.match(
      update({ ...drawn, [field('title')]: 'Mine' }, content('New in the shop')),
      { isContested: false },
      'nobody in the shop changed it',
    )
    for (const was of ['null', '[', '4', '"text"'])
      t.match(
        update(
          { [contentVersionField]: 'one', [contentWasField]: was, [field('title')]: 'Mine' },
          news,
        ),
        { sections: [{ settings: [{ value: 'Mine' }] }], isContested: true },
        `${was}: nothing is known about any field`,
      )
  },
)

t.test('names of fields and buttons are read back, and no two are equal', async t => {
  for (const ids of [
    ['a', null, 'b'],
    ['a:b', 'c', null],
    ['ü ~', '%', 'x'],
  ])
    t.same(argumentIds(contentArgument(...ids)), ids)
  t.equal(argumentIds('%E0%A4%A'), null)
  t.equal(
    new Set([
      settingField('a.b', null, 'c'),
      settingField('a', 'b', 'c'),
      settingField('a', null, 'b.c'),
      settingField('a-b', null, 'c'),
      settingField('a~2e~b', null, 'c'),
    ]).size,
    5,
  )
  t.same(
    [
      settingText({ kind: 'yesNo', value: true }),
      settingText({ kind: 'yesNo', value: false }),
      settingText({ kind: 'text', value: null }),
      settingText({ kind: 'number', value: 4 }),
    ],
    ['1', '', '', '4'],
  )
  const sent = [
    {
      id: 'hero',
      settings: [{ id: 'title', value: 'x' }],
      blocks: [{ id: 'point', settings: [{ id: 'label', value: 'y' }] }],
    },
  ]
  t.same(
    [
      'sections.0.settings.0.value',
      'sections.0.blocks.0.settings.0.value',
      'sections.1.settings.0.value',
      'sections.0.settings.4.value',
      'version',
    ].map(name => contentField(sent, name)),
    [field('title'), field('label', 'point'), 'content', 'content', 'content'],
  )
})
