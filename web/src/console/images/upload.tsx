import { useState } from 'react'
import { FileTrigger } from 'react-aria-components'
import { upload } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { notifyFailure } from '../../ui/notice.tsx'
import { t } from './text.ts'

export const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif']

type Props = { label: string; onUploaded: (imageId: number) => void; allowsMultiple?: boolean }

/** Uploads pictures one after the other, and says how far it is. */
export function ImageUpload({ label, onUploaded, allowsMultiple = false }: Props) {
  const [progress, setProgress] = useState<number | null>(null)

  async function send(files: FileList | null): Promise<void> {
    for (const file of files ?? []) {
      try {
        setProgress(0)
        onUploaded(await upload('POST', '/api/v1/images', file, setProgress))
      } catch (error) {
        notifyFailure(error)
      }
    }
    setProgress(null)
  }

  return (
    <FileTrigger acceptedFileTypes={IMAGE_TYPES} allowsMultiple={allowsMultiple} onSelect={(files) => void send(files)}>
      <Button isPending={progress !== null}>
        {progress === null ? label : t.sent(String(Math.round(progress * 100)))}
      </Button>
    </FileTrigger>
  )
}
