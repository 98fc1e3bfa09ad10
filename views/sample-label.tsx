/** Marks a store or test that simulated shoppers have filled. */
export const SampleLabel = ({ isDemo }: { isDemo: boolean }) =>
  isDemo ? <span class="origin-label">Demo data</span> : null
