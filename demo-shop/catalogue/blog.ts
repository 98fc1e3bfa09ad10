import { shop } from '../shop.ts'

/** An article of the shop's journal. `body` is the merchant's HTML, shown unchanged. */
export type Article = {
  id: number
  handle: string
  title: string
  summary: string
  author: string
  publishedAt: string
  publishedOn: string
  picture: string
  body: string
  url: string
  blog: string
  suffix?: string
}
export type Blog = {
  id: number
  handle: string
  title: string
  summary: string
  url: string
  articles: Article[]
  suffix?: string
}

const day = new Intl.DateTimeFormat('en-US', {
  timeZone: shop.timeZone,
  month: 'long',
  day: 'numeric',
  year: 'numeric',
})
const journal = '/blogs/journal'
const sources: Omit<Article, 'id' | 'url' | 'blog' | 'publishedOn'>[] = [
  {
    handle: 'what-ash-does',
    title: 'What ash does to a glaze',
    summary: 'Three bowls from one firing, and why they disagree.',
    author: 'Mara Lindqvist',
    publishedAt: '2026-09-14T08:00:00.000Z',
    picture: '/cdn/products/iron-glaze-bowl-2.svg',
    body: `<p>We burn what the orchard drops in winter, sieve the ash twice and wash it until the water runs clear. What is left is mostly lime, a little potash, and whatever the trees found in the ground that year.</p>
<h2>Thick and thin</h2>
<p>Where the glaze lies thick it pools to a grey green. Over the throwing rings it runs thin, and the iron in the clay comes through as amber. The same bucket gives both, on the same bowl.</p>
<p>See what came of it: <a href="/products/iron-glaze-bowl">the iron glaze bowl</a>.</p>`,
  },
  {
    handle: 'linen-that-lasts',
    title: 'How to wash linen so that it lasts',
    summary: 'Less heat, less powder, and no tumble dryer.',
    author: 'Tom Achterberg',
    publishedAt: '2026-08-03T08:00:00.000Z',
    picture: '/cdn/products/linen-apron-2.svg',
    body: `<p>Linen grows softer with each wash for about two years and then stays as it is. What shortens its life is heat.</p>
<ul><li>Wash at 40 °C, with half the powder you think it needs.</li><li>Pull it into shape while it is wet, and hang it in the air.</li><li>Iron it damp, or better: do not.</li></ul>
<p>The <a href="/collections/kitchen-linen">kitchen linen</a> comes washed once already.</p>`,
  },
  {
    handle: 'a-shelf-for-mugs',
    title: 'A shelf for the mugs you use',
    summary: 'Two boards, four brackets, one afternoon.',
    author: 'Mara Lindqvist',
    publishedAt: '2026-06-22T08:00:00.000Z',
    picture: '/cdn/products/ash-glaze-mug-5.svg',
    body: `<p>A mug at the back of a cupboard is a mug nobody drinks from. Put the six you like on a shelf at the height of your eyes, and give the rest away.</p>
<h2>What you need</h2>
<p>An oak board of 80 by 14 cm, sawn in two, four plain brackets and a spirit level. Oil the board before it goes up: afterwards is a nuisance.</p>`,
  },
]

/** The shop's blogs; there is one. Ids never change. */
export const blogs: Blog[] = [
  {
    id: 1101,
    handle: 'journal',
    title: 'Journal',
    summary: 'From the kiln room, about once a month.',
    url: journal,
    articles: sources.map((source, i) => ({
      ...source,
      id: 1201 + i,
      blog: 'journal',
      url: `${journal}/${source.handle}`,
      publishedOn: day.format(new Date(source.publishedAt)),
    })),
  },
]
export const articles: Article[] = blogs.flatMap(blog => blog.articles)
