/**
 * Why an order `o` stands in no arm, null when it does; `v` is its visitor in the test. The one rule of the ledger, its
 * sums and its export. A platform may give whole seconds only: an order of the same second as the exposure came after it.
 */
export const orderReason = `
  case when o.is_test then 'testOrder'
    when o.visitor_id is null then 'noConsent'
    when v.first_exposed_at is null then 'noExposure'
    when v.is_bot then 'bot'
    when v.seen & (2 >> v.arm) <> 0 then 'bothArms'
    when o.created_at < date_trunc('second', v.first_exposed_at) then 'beforeExposure' end`
