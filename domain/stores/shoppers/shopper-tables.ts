/**
 * Every table with data about shoppers: its columns, what they are for, who sees them, and how long
 * they are kept.
 * docs/privacy.md is written from it, the erasure and the export of a shopper use it, and a test
 * compares it with the database's schema. `days` in these texts means EVENT_RETENTION_DAYS.
 */
export const keepingRules = {
  events: 'days after the day it happened; the day goes as a whole',
  test: 'days after the test has ended (an imported one: after the import); from then on the test has its figures alone',
  visit: 'days after the session’s last act, or as long as a test keeps its visitor',
  period: 'days after the day or the usage cycle is over; how many visitors it had stays',
  order: 'days after the order, or as long as a test that it was placed in keeps its visitors',
  aside: 'days after the decision, or as long as a test keeps the visitor',
  network: '48 hours',
  decision: 'days after the decision; the network’s name in it: 48 hours',
  page: 'days after the day',
  answer: '30 days',
  erased: 'as long as the shop has the app',
} as const
export type KeepingRule = keyof typeof keepingRules

export type ShopperTable = {
  holds: string
  rule: KeepingRule
  seenBy: 'product' | 'merchant' | 'staff'
  /** The column with the visitor's id; left out when there is none. */
  visitor?: 'visitor_id'
  /** What each column is for, except for those of `commonFields`. */
  fields: Readonly<Record<string, string>>
}

/** Columns that mean the same in every table. */
export const commonFields: Readonly<Record<string, string>> = {
  store_id: 'The shop.',
  test_id: 'The test.',
  visitor_id:
    'Tells one browser from another: random, made by the browser for this shop alone, ended a year after its first visit.',
  session_id: 'Tells one visit from the next: random, made by the browser.',
  device: 'Phone, tablet or desktop, from the browser’s name, which is not kept.',
  country: 'Country, if the network in front of our server tells it.',
  is_bot: 'Whether it is a program (bot), by the browser’s name.',
  is_new: 'On the first visit.',
  is_aside: 'Came from a network that sent forged visitors.',
  day: 'Day, by the shop’s calendar.',
  arm: 'Control or variant.',
  product_id: 'The product.',
}

export const shopperTables: Readonly<Record<string, ShopperTable>> = {
  events: {
    holds:
      'What a browser reports about its visit: pages seen, tests met, clicks on tested pages, cart and checkout.',
    rule: 'events',
    seenBy: 'product',
    visitor: 'visitor_id',
    fields: {
      id: 'Random; an event that is sent twice counts once.',
      at: 'When.',
      kind: 'What happened.',
      set_aside: 'Why it does not count.',
      path: 'The page, without its query except utm_source, utm_medium, utm_campaign and utm_content.',
      claims: 'Tests that the browser is in, and their arms.',
      tests: 'Tests that it counts for.',
      landing: 'First page of the visit, without its query except those four.',
      referrer: 'Page that led to the shop, without its query.',
      channel: 'What brought the visit (direct, search, …), found on arrival.',
      seq: 'Order of arrival.',
      consent: 'The shop’s banner said that the shopper agrees.',
      product: 'Product seen or put in the cart.',
      vitals: 'How fast the page was.',
    },
  },
  test_visitors: {
    holds: 'One row for each visitor of a test: the arm, and what counts for its goals.',
    rule: 'test',
    seenBy: 'merchant',
    visitor: 'visitor_id',
    fields: {
      stages: 'How far the visitor came in the test.',
      seen: 'Arms that were shown.',
      first_exposed_at: 'When the test was met first.',
      last_click_at: 'Last click on a tested page.',
      last_cart_at: 'Last time something was put in the cart.',
      channel: 'What brought the visitor (direct, search, …), for the report by channel.',
      referrer: 'Host that led to the shop, for the report by referrer.',
      consented: 'The shopper agreed.',
    },
  },
  test_visitor_products: {
    holds: 'When a visitor of a test last saw a product and last put it in the cart.',
    rule: 'test',
    seenBy: 'product',
    visitor: 'visitor_id',
    fields: {
      last_view_at: 'For the report by product.',
      last_add_at: 'For the report by product.',
    },
  },
  visitor_sessions: {
    holds: 'Begin and end of each visit, for sessions and bounce rate.',
    rule: 'visit',
    seenBy: 'product',
    visitor: 'visitor_id',
    fields: {
      first_at: 'Begin.',
      last_at: 'Last act.',
      views: 'Pages seen.',
      part: 'The part of the visit, when a test was paused during it.',
    },
  },
  store_visitors: {
    holds: 'Who came on a day and in a usage cycle, so that each visitor counts once there.',
    rule: 'period',
    seenBy: 'product',
    visitor: 'visitor_id',
    fields: { period: 'The day or the cycle.' },
  },
  orders: {
    holds:
      'Orders as the platform reports them, for revenue by arm. No name, address, e-mail or payment is kept.',
    rule: 'order',
    seenBy: 'merchant',
    visitor: 'visitor_id',
    fields: {
      order_id: 'The platform’s.',
      name: 'The order’s number.',
      created_at: 'When it was placed.',
      amount: 'Products without shipping and tax.',
      refunded: 'Paid back.',
      tax: 'Tax that its prices included.',
      refunded_tax: 'Of it, paid back.',
      is_test: 'A trial order.',
      triggered_at: 'Age of what is known.',
      type: 'One-time, subscription or renewal.',
      lines: 'Products, pieces and prices.',
      units: 'Pieces in all.',
      first_order: 'Order that a subscription began with.',
      imported_for: 'The import it came with.',
      by_pixel: 'The visitor was named by our checkout pixel, not by the cart.',
      visitor_lost: 'Why the cart did not name the visitor.',
      is_disputed: 'Two messages of the pixel named different visitors.',
    },
  },
  order_pixels: {
    holds:
      'Messages of our checkout pixel about orders that the platform has not reported yet. The pixel sends the visitor’s id, the order’s id, and the tests and arms that the browser remembers; these are not kept.',
    rule: 'network',
    seenBy: 'product',
    visitor: 'visitor_id',
    fields: {
      of_order: 'The platform’s id of the order.',
      received_at: 'When.',
    },
  },
  test_orders: {
    holds: 'What each order adds to the figures of a test at present.',
    rule: 'test',
    seenBy: 'product',
    visitor: 'visitor_id',
    fields: {
      order_id: 'The platform’s.',
      created_at: 'When it was placed.',
      channel: 'What brought the visitor.',
      referrer: 'Host that led to the shop.',
      type: 'One-time, subscription or renewal.',
      reason: 'Why it counts in no arm.',
      way: 'How its visitor is known.',
      share: 'In which sums it is.',
      amount: 'Products without shipping.',
      refunded: 'Paid back.',
      units: 'Pieces in all.',
      items: 'Its products, pieces and prices.',
      is_above: 'It is among the largest orders.',
    },
  },
  order_marks: {
    holds: 'Orders and visitors whose orders must be summed up again, which takes seconds.',
    rule: 'test',
    seenBy: 'product',
    visitor: 'visitor_id',
    fields: { mark_id: 'Order of arrival.', order_id: 'The platform’s.' },
  },
  price_checks: {
    holds: 'Orders compared with the prices that a price test showed.',
    rule: 'test',
    seenBy: 'merchant',
    fields: {
      order_id: 'The platform’s.',
      at: 'When it was placed.',
      is_unmarked: 'No visitor was known.',
      cause: 'Why the price differed from the one shown.',
      message: 'The difference in words; names the order’s number.',
    },
  },
  network_visitors: {
    holds:
      'Which network a visitor came from who is new, or new in a test. Used against forged visitors. No address is kept: a keyed hash of its /24 or /48.',
    rule: 'network',
    seenBy: 'product',
    visitor: 'visitor_id',
    fields: { network: 'Keyed hash.', seen_at: 'When.' },
  },
  network_hours: {
    holds: 'How many new visitors a network brought in an hour.',
    rule: 'network',
    seenBy: 'product',
    fields: { hour: 'The hour.', network: 'Keyed hash.', visitors: 'How many.' },
  },
  network_meetings: {
    holds: 'The network from which a visitor met a test for the first time.',
    rule: 'network',
    seenBy: 'product',
    visitor: 'visitor_id',
    fields: { network: 'Keyed hash.', met_at: 'When.' },
  },
  network_arms: {
    holds: 'How many visitors a network brought to each arm of a test in an hour.',
    rule: 'network',
    seenBy: 'product',
    fields: {
      network: 'Keyed hash.',
      hour: 'The hour.',
      control: 'How many in the control.',
      variant: 'How many in the variant.',
    },
  },
  network_decisions: {
    holds: 'Networks whose visitors were set aside or counted again.',
    rule: 'decision',
    seenBy: 'merchant',
    fields: {
      decision_id: 'Random.',
      network: 'Keyed hash; null after 48 hours.',
      kind: 'What was decided.',
      decided_by: 'The rule, the merchant or staff.',
      decided_at: 'When.',
      until: 'How long it holds.',
      visitors: 'How many.',
      share: 'Their share.',
      one_sided: 'Whether it brought too many visitors to one arm.',
    },
  },
  visitors_aside: {
    holds: 'Visitors who were set aside with their network.',
    rule: 'aside',
    seenBy: 'product',
    visitor: 'visitor_id',
    fields: { decision_id: 'The decision by which they were set aside.' },
  },
  shopper_exports: {
    holds:
      'Data about a shopper, collected because the platform asked for it, until staff hand it over.',
    rule: 'answer',
    seenBy: 'staff',
    fields: {
      export_id: 'Random.',
      asked_at: 'When it was asked for.',
      body: 'Rows of the tables above.',
    },
  },
  erased_orders: {
    holds: 'Orders that were erased, so that a later delivery does not bring them back.',
    rule: 'erased',
    seenBy: 'product',
    fields: { order_hash: 'Keyed hash of the platform’s id.' },
  },
  page_days: {
    holds:
      'Views of a page on a day, for suggestions. Names no visitor; an address may name a person.',
    rule: 'page',
    seenBy: 'merchant',
    fields: {
      scope: 'A path, a template, the shop or a step.',
      name: 'Which.',
      views: 'Views.',
      visitors: 'Visitors.',
      entries: 'Visits that began here.',
      bounces: 'Visits that saw only this page.',
      exits: 'Visits that ended here.',
      adders: 'Visitors who put something in the cart.',
    },
  },
}

/** A table with such a column has data about shoppers. */
export const shopperColumns =
  /^(visitor_id|visitor|session_id|order_id|network|ip|address|email|customer_id)$/
/** Tables in which such a column is about merchants or staff. */
export const notShoppers = ['leads', 'stores', 'staff_users', 'staff_sessions'] as const
