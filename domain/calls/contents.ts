import { type Call, Id } from '../api/call.ts'
import { TemplateContent, TemplateContentUpdate } from '../themes/template-content.ts'

const gone = 'There is no such draft, or its variant’s template is no longer in the live theme.'

export const contentCalls = {
  templateContent: {
    method: 'GET',
    path: '/api/v0/test-drafts/:id/content',
    about:
      'The sections and blocks of the template that was copied for a draft’s variant, in order, with the settings of each beside the control’s.',
    params: Id,
    response: TemplateContent,
    errors: { 400: 'The draft has no copy of a template for its variant.', 404: gone },
  },
  setTemplateContent: {
    method: 'PUT',
    path: '/api/v0/test-drafts/:id/content',
    about:
      'Changes settings, order and visibility in the copy; the control’s template is never touched. A setting that is sent as null becomes the control’s again.',
    params: Id,
    body: TemplateContentUpdate,
    response: TemplateContent,
    errors: {
      400: 'A section, block or setting does not exist, or a value does not fit its setting; each problem is named at its field.',
      404: gone,
      409: 'The file was changed in the shop since `version`, or the draft was launched or deleted meanwhile.',
      422: 'The shop refuses the file, in its own words.',
    },
  },
} as const satisfies Record<string, Call>
