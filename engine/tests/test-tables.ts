/**
 * Tables with rows of tests that no foreign key ties to them, since collectors write into them all the time. A beacon that
 * comes just after its test was deleted leaves rows behind: retention takes them.
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
]
