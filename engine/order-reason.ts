/**
 * Why an order stands in no arm, null when it does: the one rule of the ledger, its sums and its export, in SQL. `o` is
 * the order, `v` its visitor in the test.
 */
// A platform may give whole seconds only: an order of the same second as the exposure came after it.
export const visitorReason = `
  case when o.visitor_id is null then 'noConsent'
    when v.first_exposed_at is null then 'noExposure'
    when v.is_bot then 'bot'
    when v.seen & (2 >> v.arm) <> 0 then 'bothArms'
    when o.created_at < date_trunc('second', v.first_exposed_at) then 'beforeExposure' end`

/** What the order is by itself comes first; `against` is what `visitorReason` answered. */
export const orderReason = (against = visitorReason): string => `case when is_test then 'testOrder' when type = 'renewal' then 'renewal' else ${against} end`
