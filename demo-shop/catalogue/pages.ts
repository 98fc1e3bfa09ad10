/** A page of the shop that holds text. `body` is the merchant's HTML, shown unchanged. */
export type ShopPageText = {
  id: number
  handle: string
  title: string
  body: string
  url: string
  summary: string
  suffix?: string
  picks?: string[]
}

const sources: Omit<ShopPageText, 'url' | 'id'>[] = [
  {
    handle: 'about',
    title: 'About the kiln room',
    summary: 'Who makes these things, and where.',
    body: `<p>Fern &amp; Kiln began in 2014 in a dairy barn, with one kick wheel and a gas kiln bought from a school. There are seven of us now. The wheel is still there; the kiln has been rebuilt twice.</p>
<h2>How a mug is made</h2>
<p>Clay is weighed, wedged and thrown in the morning, trimmed the next day, and given its handle while it is still leather hard. After a first firing it is dipped in glaze mixed from clay, chalk and the ash of the orchard’s prunings. The second firing takes eighteen hours and decides the rest.</p>
<h2>What we buy in</h2>
<p>We weave nothing and carve little: the linen comes from a mill in Flanders, the boards and spoons from two carvers an hour up the road. We know them all by name.</p>`,
  },
  {
    handle: 'gift-guide',
    title: 'Gift guide',
    summary: 'A few things that have gone down well.',
    body: `<p>Giving something for the kitchen is safer than it sounds. These are the things our customers come back for when somebody else has a birthday.</p>
<ul>
<li><a href="/products/ash-glaze-mug">Ash glaze mug</a>, for anyone who drinks anything</li>
<li><a href="/products/linen-apron">Linen apron</a>, for the one who always cooks</li>
<li><a href="/products/walnut-board">Walnut board</a>, for a house-warming</li>
<li><a href="/products/bud-vase">Bud vase</a>, for a windowsill that has nothing yet</li>
<li><a href="/products/kiln-candle">Kiln candle</a>, for the end of the year</li>
</ul>
<p>Everything can be wrapped in wood wool and plain paper: say so in the cart note, and write what the card should say.</p>`,
  },
  {
    handle: 'gift-guide-2026',
    title: 'The 2026 gift guide',
    summary: 'Eight gifts, sorted by what they cost.',
    suffix: 'guide',
    picks: [
      'oak-spoon',
      'tea-towel-pair',
      'kiln-candle',
      'ash-glaze-mug',
      'bud-vase',
      'linen-apron',
      'walnut-board',
      'breakfast-set',
    ],
    body: '<p>Eight things that get used, from eighteen dollars up. Each comes wrapped in wood wool and plain paper, with your words on the card.</p>',
  },
  {
    handle: 'shipping',
    title: 'Shipping and returns',
    summary: 'What it costs, how long it takes, and what if it breaks.',
    body: `<p>Orders placed by 3 pm leave the kiln room the same day, from Monday to Friday.</p>
<h2>What it costs</h2>
<p>$6.50 anywhere in the United States, free from $75. Elsewhere at cost.</p>
<h2>If something arrives broken</h2>
<p>Send us a picture within two weeks and we send another, no parcel back. If we have none left, we give the money back.</p>
<h2>Changed your mind</h2>
<p>Thirty days, unused, in its box. We pay the way back for gifts.</p>`,
  },
  {
    handle: 'faq',
    title: 'Questions and answers',
    summary: 'Dishwashers, microwaves, seconds and visits.',
    body: `<h2>Can it go in the dishwasher?</h2><p>Everything glazed can. Wood and linen have their own care notes on the product’s page.</p>
<h2>Why does mine look different from the picture?</h2><p>Because ash glaze does as it likes. If you dislike what it did, send it back.</p>
<h2>Do you sell seconds?</h2><p>Twice a year, at the barn, in May and in November.</p>
<h2>May we visit?</h2><p>On Saturdays from ten to four. There is coffee, in the mugs that cracked.</p>`,
  },
]

export const pages: ShopPageText[] = sources.map((source, i) => ({
  ...source,
  id: 1001 + i,
  url: `/pages/${source.handle}`,
}))
export const findPage = (handle: string) => pages.find(page => page.handle === handle)
