import type { MerchantCopy } from '../../../domain/themes/merchant-copy.ts'
import { Icon } from '../../icons.tsx'

type StepsProps = {
  copy: MerchantCopy
  /** The act of the button that looks for the copy, if it is here. */ act?: string
  /** The last step. */ last?: string
}

/** How the merchant makes the copy that we may not make. */
export const MerchantCopySteps = ({ copy, act, last = lookHere }: StepsProps) => (
  <div class="stack-tight">
    <p>
      Your shop’s platform lets only you copy a {copy.kind}. The {copy.kind} in use is not touched.
    </p>
    <ol>
      <li>
        Open{' '}
        <a href={copy.address} target="_blank" rel="noopener">
          {copy.original} in your shop
          <Icon name="external" />
        </a>
        .
      </li>
      <li>
        Copy it under the name <code>{copy.name}</code>.
      </li>
      <li>Change the copy there, now or later.</li>
      <li>{last}</li>
    </ol>
    {act && (
      <div class="row">
        <button name="act" value={act}>
          I have made the copy
        </button>
      </div>
    )}
  </div>
)
const lookHere = 'Come back here. We look for the copy, and check that it fits.'
