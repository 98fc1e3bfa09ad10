import { Autosave } from './autosave.tsx'
import { ChangesEditor } from './changes-editor.tsx'
import { Chart } from './chart.tsx'
import { ContentPicture } from './content-picture.tsx'
import { Downloads } from './downloads.tsx'
import { LengthPlanner } from './length-planner.tsx'
import { PreviewFrame } from './preview-frame.tsx'
import { UndoRedo } from './undo-redo.tsx'
import { UninstallProgress } from './uninstall-progress.tsx'

/** Every island by the name a view calls it. */
export const registry = {
  autosave: Autosave,
  'changes-editor': ChangesEditor,
  chart: Chart,
  'content-picture': ContentPicture,
  downloads: Downloads,
  'length-planner': LengthPlanner,
  'preview-frame': PreviewFrame,
  'undo-redo': UndoRedo,
  'uninstall-progress': UninstallProgress,
}
