import t from 'tap'
import { openShopifyShop } from './shopify-shop.ts'

const create = `mutation ($price: Decimal!, $discount: AppSubscriptionDiscountInput, $trialDays: Int) {
  appSubscriptionCreate(name: "Advanced", returnUrl: "https://app.example/x?plan_id=a", trialDays: $trialDays, test: true,
    lineItems: [{ plan: { appRecurringPricingDetails: { interval: ANNUAL, price: { amount: $price, currencyCode: USD }, discount: $discount } } }]) {
    appSubscription { id status } confirmationUrl userErrors { field message } } }`
type Created = {
  appSubscriptionCreate: {
    appSubscription: { id: string; status: string }
    confirmationUrl: string
  }
}

t.test('a subscription is asked for, approved, prolonged and cancelled', async t => {
  const shop = await openShopifyShop(t)
  const { appSubscriptionCreate: made } = await shop.data<Created>(create, {
    price: '100.00',
    trialDays: 14,
    discount: { value: { percentage: 0.2 } },
  })
  const { id } = made.appSubscription
  t.equal(made.appSubscription.status, 'PENDING')
  t.match(made.confirmationUrl, /confirm_recurring_application_charge\?signature=/)
  const extend = (days: number) =>
    shop.data(
      'mutation ($id: ID!, $days: Int!) { appSubscriptionTrialExtend(id: $id, days: $days) { appSubscription { id } userErrors { code } } }',
      { id, days },
    )
  t.match(await extend(3), {
    appSubscriptionTrialExtend: { userErrors: [{ code: 'SUBSCRIPTION_NOT_ACTIVE' }] },
  })
  shop.web!.charges.approve(id.split('/').at(-1)!)
  t.match(await extend(3), { appSubscriptionTrialExtend: { userErrors: [] } })
  t.match(
    await shop.data(`{ currentAppInstallation {
      activeSubscriptions { id status test trialDays returnUrl lineItems { plan { pricingDetails { ... on AppRecurringPricing {
        interval price { amount } discount { priceAfterDiscount { amount } value { ... on AppSubscriptionDiscountPercentage { percentage } } } } } } } }
      allSubscriptions(first: 5, reverse: true) { nodes { id status } } } }`),
    {
      currentAppInstallation: {
        activeSubscriptions: [
          {
            id,
            status: 'ACTIVE',
            test: true,
            trialDays: 17,
            returnUrl: 'https://app.example/x?plan_id=a',
            lineItems: [
              {
                plan: {
                  pricingDetails: {
                    interval: 'ANNUAL',
                    price: { amount: '100.0' },
                    discount: {
                      priceAfterDiscount: { amount: '80.0' },
                      value: { percentage: 0.2 },
                    },
                  },
                },
              },
            ],
          },
        ],
        allSubscriptions: { nodes: [{ id, status: 'ACTIVE' }] },
      },
    },
  )
  const cancel = () =>
    shop.data<object>(
      `mutation { appSubscriptionCancel(id: "${id}") { appSubscription { status } userErrors { message } } }`,
    )
  t.match(await cancel(), { appSubscriptionCancel: { appSubscription: { status: 'CANCELLED' } } })
  t.match(await cancel(), { appSubscriptionCancel: { appSubscription: null } })
})

t.test('what the platform would not charge is refused', async t => {
  const shop = await openShopifyShop(t)
  const refused = async (variables: object) => {
    const { appSubscriptionCreate: made } = await shop.data<Created>(create, variables)
    return made
  }
  const none = { appSubscription: null, confirmationUrl: null }
  t.match(await refused({ price: '0' }), none)
  t.match(await refused({ price: '10', trialDays: 1_001 }), none)
  t.match(await refused({ price: '10', discount: { value: { percentage: 20 } } }), none)
  t.match(await refused({ price: '10', discount: { value: { amount: '11' } } }), none)
})

t.test('calls subscribe to webhooks and end that', async t => {
  const shop = await openShopifyShop(t)
  const { webhookSubscriptionCreate: made } = await shop.data<{
    webhookSubscriptionCreate: { webhookSubscription: { id: string } }
  }>(
    'mutation { webhookSubscriptionCreate(topic: ORDERS_CREATE, webhookSubscription: { uri: "https://app.example/h" }) { webhookSubscription { id topic uri } userErrors { message } } }',
  )
  t.match(made, { webhookSubscription: { topic: 'ORDERS_CREATE', uri: 'https://app.example/h' } })
  t.match(await shop.data('{ webhookSubscriptions(first: 5) { nodes { topic includeFields } } }'), {
    webhookSubscriptions: { nodes: [{ topic: 'ORDERS_CREATE', includeFields: [] }] },
  })
  t.match(
    await shop.data(
      'mutation { webhookSubscriptionCreate(topic: CARTS_CREATE, webhookSubscription: { uri: "https://app.example/h" }) { userErrors { field message } } }',
    ),
    { webhookSubscriptionCreate: { userErrors: [{ message: /does not send/ }] } },
  )
  const remove = () =>
    shop.data(
      `mutation { webhookSubscriptionDelete(id: "${made.webhookSubscription.id}") { deletedWebhookSubscriptionId userErrors { message } } }`,
    )
  t.match(await remove(), { webhookSubscriptionDelete: { userErrors: [] } })
  t.match(await remove(), { webhookSubscriptionDelete: { deletedWebhookSubscriptionId: null } })
})
