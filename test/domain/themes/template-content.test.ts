import t from 'tap'
import { isSameJson, jsonTree, rewritten, type Rewrite } from '../../../domain/json-text.ts'
import { textKinds } from '../../../domain/drafts/section-schema.ts'
import { changedTemplate } from '../../../domain/themes/template-changes.ts'
import { sectionsOf, templateTree } from '../../../domain/themes/template-content.ts'
import { fc } from '../../properties.ts'
import {
  comment,
  original,
  type Update,
  change,
  bodyOf,
  read,
} from '../support/template-content-about.ts'

t.test(
  'a template is read as sections and blocks in their order, each setting with its kind',
  t => {
    const { sections, isMoved, changeCount } = read(original)
    t.same(
      sections.map(({ id, name }) => [id, name]),
      [
        ['main', 'Main page'],
        ['16', 'Opening picture'],
        ['2', 'List'],
      ],
    )
    t.same([isMoved, changeCount], [false, 0])
    t.same(
      sections[1]!.settings.map(({ id, label, kind, value }) => [id, label, kind, value]),
      [
        ['title', 'Heading', 'text', 'Who we are / what'],
        ['count', 'Count', 'number', 4],
        ['side', 'Side', 'choice', 'left'],
        ['picture', 'Picture', 'picture', null],
        ['wide', 'Wide', 'yesNo', true],
        ['tags', 'Tags', 'other', '["a"]'],
      ],
    )
    t.same(sections[1]!.settings[2]!.choices, [
      { value: 'left', label: 'On the left' },
      { value: 'right', label: 'Right' },
    ])
    t.same(
      sections[2]!.blocks.map(({ id, name, settings }) => [
        id,
        name,
        settings.map(({ label, kind, value }) => [label, kind, value]),
      ]),
      [
        ['b1', 'Point', [['Words', 'longText', '']]],
        ['b2', 'Point', [['Words', 'longText', 'Two']]],
      ],
    )
    t.same(read(original, null).sections[1]!.settings[0], {
      id: 'title',
      label: 'Heading',
      kind: 'text',
      value: 'Who we are / what',
      control: null,
      isChanged: false,
      choices: [],
    })
    t.end()
  },
)

t.test('changes are written, and every other character stays', t => {
  t.equal(
    bodyOf({ sections: [{ id: '16', settings: [{ id: 'title', value: 'Say "hi"' }] }] }),
    original.replace('Who we are \\/ what', 'Say \\"hi\\"'),
  )
  t.equal(
    bodyOf({ sections: [{ id: '16', settings: [{ id: 'side', value: 'right' }] }] }),
    original.replace('"tags": ["a"] }', '"tags": ["a"], "side": "right" }'),
  )
  t.equal(
    bodyOf({ order: ['16', 'main', '2'] }),
    original.replace('["main", "16", "2"]', '["16", "main", "2"]'),
  )
  t.equal(
    bodyOf({ sections: [{ id: 'main', isShown: false }] }),
    original.replace('"main-page" }', '"main-page", "disabled": true }'),
  )
  t.equal(
    bodyOf({ sections: [{ id: '2', blockOrder: ['b2', 'b1'] }] }),
    original.replace('[ "b1",\n        "b2" ]', '[ "b2",\n        "b1" ]'),
  )
  t.equal(
    bodyOf({
      sections: [
        {
          id: '2',
          blocks: [{ id: 'b1', isShown: false, settings: [{ id: 'label', value: 'One' }] }],
        },
      ],
    }),
    original.replace('"settings": {} }', '"settings": {"label": "One"}, "disabled": true }'),
  )
  t.equal(bodyOf({}), original)
  t.end()
})

t.test(
  'a block order that the control does not have is removed again, and blocks in both orders keep their place in the text',
  t => {
    const unsaid = original.replace(/,\n      "block_order": \[[^\]]+\]/, '')
    const turned = bodyOf({ sections: [{ id: '2', blockOrder: ['b1', 'b2'] }] }, unsaid, unsaid)
    t.match(turned, '"block_order": ["b1", "b2"]')
    t.equal(bodyOf({ sections: [{ id: '2', blockOrder: ['b2', 'b1'] }] }, turned, unsaid), unsaid)
    t.notMatch(
      bodyOf(
        {
          sections: [
            { id: '2', blockOrder: ['b2', 'b1'] },
            { id: 'main', isShown: false },
          ],
        },
        turned,
        unsaid,
      ),
      'block_order',
      'also when the template has another change',
    )
    const gone = original.replace('[ "b1",', '[ "b1", "gone",')
    t.equal(
      bodyOf({ sections: [{ id: '2', blockOrder: ['b2', 'b1'] }] }, gone),
      original.replace('[ "b1",\n        "b2" ]', '[ "b2", "gone",\n        "b1" ]'),
    )
    t.equal(
      bodyOf(
        { sections: [{ id: '2', isShown: true }] },
        original.replace('"disabled": false', '"disabled": true'),
      ),
      original,
      'a section that is shown again has the control’s text',
    )
    t.end()
  },
)

t.test('changes are counted and marked, and undoing them gives the control’s file', t => {
  const changed = bodyOf({
    order: ['2', 'main', '16'],
    sections: [
      {
        id: '16',
        isShown: false,
        settings: [
          { id: 'title', value: 'Other' },
          { id: 'wide', value: false },
        ],
      },
      {
        id: '2',
        blockOrder: ['b2', 'b1'],
        blocks: [{ id: 'b2', settings: [{ id: 'label', value: 'Zwei' }] }],
      },
    ],
  })
  const { sections, isMoved, changeCount } = read(changed)
  t.same([isMoved, changeCount, sections.map(each => each.id)], [true, 6, ['2', 'main', '16']])
  t.match(sections[2]!, {
    isShown: false,
    isShownInControl: true,
    settings: [
      { value: 'Other', control: 'Who we are / what', isChanged: true },
      { isChanged: false },
      {},
      {},
      { value: false, control: true, isChanged: true },
    ],
  })
  t.match(sections[0]!, {
    areBlocksMoved: true,
    blocks: [{ id: 'b2', settings: [{ isChanged: true, control: 'Two' }] }, { id: 'b1' }],
  })
  const back = bodyOf(
    {
      order: ['main', '16', '2'],
      sections: [
        {
          id: '16',
          isShown: true,
          settings: [
            { id: 'title', value: null },
            { id: 'wide', value: null },
          ],
        },
        {
          id: '2',
          blockOrder: ['b1', 'b2'],
          blocks: [{ id: 'b2', settings: [{ id: 'label', value: 'Two' }] }],
        },
      ],
    },
    changed,
  )
  t.equal(back, original)
  t.equal(
    bodyOf(
      { sections: [{ id: 'main', settings: [] }] },
      bodyOf({ sections: [{ id: '16', settings: [{ id: 'side', value: 'right' }] }] }),
    ),
    original.replace('"tags": ["a"] }', '"tags": ["a"], "side": "right" }'),
  )
  t.end()
})

t.test('a section that only one of the arms has is a change too', t => {
  const own = original
    .replace('"order": ["main", "16", "2"]', '"order": ["main", "new"]')
    .replace('"main": {', '"new": { "type": "hero", "settings": { "title": "x" } }, "main": {')
  const { changeCount, isMoved, sections } = read(own)
  t.same([changeCount, isMoved], [3, false])
  t.match(sections[1], {
    id: 'new',
    isShownInControl: null,
    settings: [{ value: 'x', control: null, isChanged: false }],
  })
  t.equal(
    read(original.replace('"block_order": [ "b1",\n        "b2" ]', '"block_order": ["b2"]'))
      .changeCount,
    1,
  )
  t.end()
})

t.test('a wrong change names its field, and no change is applied', t => {
  const fields = (update: Update, variant = original) => {
    const made = change(update, variant)
    return 'problems' in made ? made.problems.map(({ field }) => field) : made.body
  }
  t.same(fields({ order: ['main', '16'] }), ['order'])
  t.same(fields({ order: ['main', '16', '16'] }), ['order'])
  t.same(
    fields({
      sections: [
        { id: 'none' },
        {
          id: '16',
          settings: [
            { id: 'none', value: 'x' },
            { id: 'title', value: 4 },
            { id: 'count', value: '4' },
            { id: 'side', value: 'up' },
            { id: 'wide', value: 1 },
            { id: 'tags', value: '[]' },
          ],
        },
      ],
    }),
    [
      'sections.0.id',
      'sections.1.settings.0.id',
      ...[1, 2, 3, 4, 5].map(i => `sections.1.settings.${i}.value`),
    ],
  )
  t.same(
    fields({
      sections: [
        { id: '2', blockOrder: ['b1'], blocks: [{ id: 'b9' }, { id: 'b1' }, { id: 'b1' }] },
        { id: '2' },
      ],
    }),
    ['sections.0.blockOrder', 'sections.0.blocks.0.id', 'sections.0.blocks.2.id', 'sections.1.id'],
  )
  t.same(fields({ sections: [{ id: '__proto__', settings: [{ id: 'x', value: 'y' }] }] }), [
    'sections.0.id',
  ])
  for (const body of [
    '',
    '{',
    '[]',
    '{ "sections": {}, "order": ["a"] }',
    '['.repeat(9000),
    `{"sections":{"a":${'['.repeat(200)}${']'.repeat(200)}},"order":[]}`,
  ])
    t.same(fields({}, body), ['sections'])
  t.end()
})

t.test(
  'any JSON is read with its positions, and rewriting changes nothing except the given values',
  t => {
    const spaces = fc.constantFrom(undefined, 1, '\t', 4)
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), spaces, (value, space) => {
        const text = JSON.stringify(value, null, space),
          tree = jsonTree(comment + text)!
        t.equal((comment + text).slice(tree.start, tree.end), text)
        t.equal(rewritten(comment + text, tree, new Map()), tree.type === 'object' ? text : '{}')
        t.ok(isSameJson(tree, jsonTree(JSON.stringify(value))!))
      }),
    )
    const objects = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), {
      noNullPrototype: false,
    })
    fc.assert(
      fc.property(
        objects,
        fc.dictionary(fc.string(), fc.option(fc.jsonValue({ maxDepth: 2 }), { nil: undefined })),
        spaces,
        (value, change, space) => {
          const text = JSON.stringify(value, null, space)
          const wanted = new Map<string, Rewrite>(
            Object.entries(change).map(([key, to]) => [
              key,
              to === undefined ? null : JSON.stringify(to),
            ]),
          )
          const expected = new Map(Object.entries(value))
          for (const [key, to] of Object.entries(change)) {
            if (to === undefined) expected.delete(key)
            else expected.set(key, to)
          }
          t.same(
            JSON.parse(rewritten(text, jsonTree(text)!, wanted)),
            JSON.parse(JSON.stringify(Object.fromEntries(expected))),
          )
        },
      ),
    )
    t.end()
  },
)

t.test('any texts in any template are read back, and undoing them restores the file', t => {
  const key = fc.string({ minLength: 1, maxLength: 12 }),
    settings = fc.dictionary(key, fc.oneof(fc.string(), fc.boolean(), fc.integer()))
  const template = fc.dictionary(
    key,
    fc.record({ type: key, settings, other: fc.jsonValue({ maxDepth: 1 }) }),
    { minKeys: 1, maxKeys: 4 },
  )
  fc.assert(
    fc.property(
      template,
      fc.constantFrom(undefined, 2),
      fc.infiniteStream(fc.string()),
      fc.boolean(),
      (sections, space, texts, isReversed) => {
        const order = Object.keys(sections),
          control = JSON.stringify({ sections, order, more: null }, null, space)
        const content = sectionsOf(templateTree(control)!, null, new Map())
        const updates = content.sections.map(({ id, settings: all }) => ({
          id,
          isShown: false,
          settings: all
            .filter(({ kind }) => textKinds.includes(kind))
            .map(each => ({ id: each.id, value: texts.next().value as string })),
        }))
        const next = isReversed ? [...order].reverse() : order
        const made = changedTemplate(
          { variant: control, control, schemas: new Map() },
          { order: next, sections: updates },
        ) as { body: string }
        const now = sectionsOf(templateTree(made.body)!, templateTree(control), new Map())
        t.same(
          now.sections.map(each => each.id),
          next,
        )
        for (const { id, settings: wanted } of updates)
          for (const { id: setting, value } of wanted)
            t.equal(
              now.sections.find(each => each.id === id)!.settings.find(each => each.id === setting)!
                .value,
              value,
            )
        const back = changedTemplate(
          { variant: made.body, control, schemas: new Map() },
          {
            order,
            sections: updates.map(each => ({
              id: each.id,
              isShown: true,
              settings: each.settings.map(({ id }) => ({ id, value: null })),
            })),
          },
        )
        t.same(back, { body: control })
      },
    ),
    { numRuns: 60 },
  )
  t.end()
})
