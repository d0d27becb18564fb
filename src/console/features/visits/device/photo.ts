/** A photo of a visit, made small enough to be kept on the device. */
const EDGE_MAX = 1280
const QUALITY = 0.75

export async function readPhoto(file: Blob): Promise<string> {
  const image = await createImageBitmap(file)
  const scale = Math.min(1, EDGE_MAX / Math.max(image.width, image.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(image.width * scale)
  canvas.height = Math.round(image.height * scale)
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  image.close()
  return canvas.toDataURL('image/jpeg', QUALITY)
}
