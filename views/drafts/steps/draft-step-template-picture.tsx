import type { Template } from '../../../domain/themes/template-record.ts'
import { ChoicePicture, type ChoicesShown } from '../choice-picture.tsx'
import { templateLabel } from './draft-step-template-props.ts'

/** A picture of the shop's page in this template. */
export const TemplatePicture = ({
  template: { type, suffix, updatedAt },
  pictures,
}: {
  template: Pick<Template, 'type' | 'suffix' | 'updatedAt'>
  pictures: ChoicesShown
}) => (
  <ChoicePicture
    choice={{ kind: 'template', type, suffix }}
    version={updatedAt}
    label={templateLabel(type, suffix)}
    pictures={pictures}
  />
)
