/**
 * Tables with rows of tests but without a foreign key to them, because collectors write into these
 * tables all the time.
 * A beacon that arrives just after its test was deleted leaves rows behind; retention deletes them.
 */
export const withoutForeignKey = [
  'test_visitors',
  'test_days',
  'test_arms',
  'test_cube',
  'test_speed',
  'test_visitor_products',
  'test_product_visitors',
  'test_changes',
  'network_meetings',
  'network_arms',
  'order_marks',
]
