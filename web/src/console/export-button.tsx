import { download } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { notifyFailure } from '../ui/notice.tsx'
import { t } from './text.ts'

/** Saves what a path answers as a file. */
export function ExportButton({ path, name, label = t.export }: { path: string; name: string; label?: string }) {
  return <Button onPress={() => void download(path, name).catch(notifyFailure)}>{label}</Button>
}
