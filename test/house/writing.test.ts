import t from 'tap'
import { filesOf, text } from './tree.ts'

/*
 * Words that a stranger does not understand in one reading (docs/writing.md). `most` is how often a
 * word may occur.
 * Lower it after you removed some. Never raise it: use other words.
 */
const words: { word: string; pattern: RegExp; most: number }[] = [
  { word: 'mend', pattern: /\b[Mm]end(s|ed|ing)?\b|[a-z]Mend\b/g, most: 0 },
  { word: 'patience', pattern: /patience|\bpatient[A-Z]/gi, most: 2 },
  { word: 'paper (of a page)', pattern: /\b(paperOf|providePaper|Paper)\b|\bpaper\.ts/g, most: 0 },
  { word: 'door', pattern: /\b(staffDoor|doors?)\b/gi, most: 1 },
  { word: 'drawnOnce', pattern: /\bdrawn(Once|ForGood)\b|\bdrawn\.ts/g, most: 0 },
  {
    word: "outside (other companies' services)",
    pattern: /\boutside\.ts|\boutside\(app\b/g,
    most: 0,
  },
  { word: 'lastLook', pattern: /\b(lastLook|last-look)\b/g, most: 0 },
  { word: 'mostRows', pattern: /\bmost[A-Z]\w*/g, most: 10 },
  {
    word: 'planTest (planning a sample)',
    pattern:
      /\b(TestPlan|planTest|planOfDraft|DraftPlan|[pP]lanBasis|PlanInput)\b|\b(test|draft)-plan\.ts/g,
    most: 0,
  },
  { word: 'anew', pattern: /\banew\b/gi, most: 7 },
  { word: 'amiss', pattern: /\bamiss\b/gi, most: 0 },
  { word: 'dear', pattern: /\bdear(er|est)?\b/gi, most: 0 },
  { word: 'for ever', pattern: /\bfor ever\b/gi, most: 0 },
  { word: 'whom', pattern: /\bwhom\b/gi, most: 0 },
  { word: "nobody's", pattern: /\bnobody['’]s\b/gi, most: 2 },
  { word: 'whoever', pattern: /\bwhoever\b/gi, most: 0 },
  { word: 'how manieth', pattern: /\bmanieth\b/gi, most: 0 },
  { word: 'is to be', pattern: /\b(is|are) to be\b/gi, most: 1 },
  { word: 'stands in the way', pattern: /\b(stand|stands|stood|is|are) in the way\b/gi, most: 0 },
  { word: 'stand still', pattern: /\bst(and|ands|anding|ood)[ -]?still\b/gi, most: 11 },
  { word: 'given up', pattern: /\bgiven up\b/gi, most: 0 },
  { word: 'goes on', pattern: /\b(goes|go|gone|went) on\b/gi, most: 2 },
  { word: 'held against', pattern: /\b(held|hold|holds) against\b/gi, most: 0 },
  { word: 'told of', pattern: /\b(told|tell|tells) of\b/gi, most: 0 },
  { word: 'but for', pattern: /\bbut for\b/gi, most: 0 },
  { word: 'can be had', pattern: /\b(can|may|could) be had\b/gi, most: 0 },
  {
    word: 'Of a … at the beginning',
    pattern:
      /(^|[.:;] |\* |\/\/ |["'`>])Of (an?|the|what|whom|who|such|those|all|this|one|that)\b/gm,
    most: 5,
  },
  {
    word: 'Who … at the beginning',
    pattern: /(^|[.:;] |\* |\/\/ |["'`>])Who(?= [a-z][^.?]*\.)/gm,
    most: 7,
  },
  {
    word: 'spec § and other documents outside the repository',
    pattern: /\bspec §|(?<![-\w])(design|field|platform|stack|style|ui|spec)\.md\b/gi,
    most: 0,
  },
  { word: 'exclamation marks', pattern: /[a-z]!['"’<]/g, most: 0 },
]

const page = 'docs/writing.md'
const files = filesOf(
  '{views,islands,server,engine,domain,storefront}/**/*.{ts,tsx}',
  'docs/**/*.md',
  '*.md',
).filter(file => file !== page && !file.startsWith('engine/db/migrations/'))

t.test('the number of words that strangers do not understand does not rise', async t => {
  t.ok(files.length > 500, 'there is something to look at')
  const texts = files.map(file => ({ file, source: text(file) }))
  for (const { word, pattern, most } of words) {
    const found = texts.flatMap(({ file, source }) =>
      [...source.matchAll(pattern)].map(
        ({ index }) => `${file}:${source.slice(0, index).split('\n').length}`,
      ),
    )
    if (found.length > most)
      t.fail(
        `"${word}" occurs ${found.length} times, ${most} are allowed. ${page} says what to write instead; git diff shows which are yours.`,
        { found: found.slice(0, 60) },
      )
    else t.pass(`"${word}"`)
    if (found.length < most)
      t.comment(`"${word}" occurs ${found.length} times by now: lower ${most} to that`)
  }
})

t.test(`${page} lists the same words, each with its replacement`, async t => {
  const section =
    text(page)
      .split(/^## /m)
      .find(part => part.startsWith('Words to avoid')) ?? ''
  const rows = [...section.matchAll(/^\| (.+) \| (.+) \|$/gm)]
    .map(([, word]) => word)
    .filter(word => word !== "don't say")
  t.same(
    rows,
    words.map(({ word }) => word),
  )
})
