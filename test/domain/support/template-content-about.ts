import t from 'tap'
import { sectionSchema } from '../../../domain/drafts/section-schema.ts'
import { changedTemplate } from '../../../domain/themes/template-changes.ts'
import { type Schemas, sectionsOf, templateTree } from '../../../domain/themes/template-content.ts'

export const comment = '/*\n * This file is written by the theme editor: {"order": []}\n */\n'
export const original = `${comment}{
  "name": "About",
  "sections": {
    "16": { "type": "hero", "settings": { "title": "Who we are \\/ what", "count": 4.0, "tags": ["a"] }, "custom_css": ["h1 { color: red; }"] },
    "main": { "type": "main-page" },
    "2": {
      "type": "list",
      "blocks": { "b2": { "type": "item", "settings": { "label": "Two" } }, "b1": { "type": "item", "settings": {} } },
      "block_order": [ "b1",
        "b2" ],
      "disabled": false
    }
  },
  "order": ["main", "16", "2"]
}
`
const schemas: Schemas = new Map([
  [
    'hero',
    sectionSchema(`<h1></h1>{%- schema -%}{ "name": "Opening picture", "settings": [{ "type": "header", "content": "Words" }, { "type": "text", "id": "title", "label": "Heading" },
    { "type": "range", "id": "count", "default": 3 }, { "type": "select", "id": "side", "label": "t:side", "options": [{ "value": "left", "label": "On the left" }, { "value": "right" }], "default": "left" },
    { "type": "image_picker", "id": "picture" }, { "type": "checkbox", "id": "wide", "default": true }] }{%- endschema -%}`)!,
  ],
  [
    'list',
    sectionSchema(
      '{% schema %}{ "name": "t:list.name", "blocks": [{ "type": "item", "name": "Point", "settings": [{ "type": "textarea", "id": "label", "label": "Words", "default": "" }] }] }{% endschema %}',
    )!,
  ],
])
/** A merchant's changes of a template. */
export type Update = Parameters<typeof changedTemplate>[1]
/** Applies the changes to the template. */
export const change = (update: Update, variant = original, control: string | null = original) =>
  changedTemplate({ variant, control, schemas }, update)
/** The changed template’s file. */
export const bodyOf = (update: Update, variant = original, control: string | null = original) => {
  const made = change(update, variant, control)
  return 'body' in made ? made.body : (t.fail(JSON.stringify(made)) as never)
}
/** The sections of a template, beside the control’s. */
export const read = (variant: string, control: string | null = original) =>
  sectionsOf(templateTree(variant)!, control === null ? null : templateTree(control), schemas)
