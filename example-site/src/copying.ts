/** Copying a report, for pages that have a `dialog` with a `textarea` and say in `.copied` what became of it. */

/** Where the clipboard cannot be had, the text is there to be copied by hand. */
export async function copy(text: string, status: HTMLElement): Promise<void> {
  const dialog = document.querySelector('dialog')!;
  try {
    await navigator.clipboard.writeText(text);
    status.textContent = document.querySelector('.copied')!.textContent = 'Copied.';
  } catch {
    const area = dialog.querySelector('textarea')!;
    area.value = text;
    dialog.showModal();
    area.select();
  }
}
