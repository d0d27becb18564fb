/** A photo of a visit, made small enough to be kept on the device and sent over a weak line. */
import { PHOTO_BYTES_MAX } from '../../../../contract/limits.ts'

/** Until it is small enough: a picture of leaves takes several times the bytes of one of a wall. */
const TRIES = [
  { edge: 1280, quality: 0.75 },
  { edge: 1280, quality: 0.5 },
  { edge: 960, quality: 0.5 },
  { edge: 640, quality: 0.5 },
] as const

/** A data URL, of a JPEG. */
export async function readPhoto(file: Blob): Promise<string> {
  const image = await createImageBitmap(file)
  try {
    for (const { edge, quality } of TRIES) {
      const scale = Math.min(1, edge / Math.max(image.width, image.height))
      const canvas = document.createElement('canvas')
      canvas.width = Math.max(1, Math.round(image.width * scale))
      canvas.height = Math.max(1, Math.round(image.height * scale))
      canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
      const photo = canvas.toDataURL('image/jpeg', quality)
      if ((base64Of(photo).length * 3) / 4 <= PHOTO_BYTES_MAX) return photo
    }
  } finally {
    image.close()
  }
  throw new Error('the photo cannot be made small enough')
}

export const base64Of = (dataUrl: string): string => dataUrl.slice(dataUrl.indexOf(',') + 1)
