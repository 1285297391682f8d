/** Draws the calls of some realms as dots: the first in their line in the middle, and the others around it. */

/** What a dot looks like: one that has left is hollow, and none is there while its realm is not. */
export const Look = { none: 0, waiting: 1, woken: 2, left: 3 } as const;
const variables = ['--line', '--waiting-line', '--main', '--soft']; // of style.css, by look

const usual = 0.3; // radius of a dot, by the distance from one to the next
const sizes = 16; // of a dot from nothing to the usual one, and as many more to twice that

/** The pixels of a dot around the upper left one of its cell: x, y, how much of it is covered, and so on. */
type Stamp = Int16Array;

export class Dots {
  #context: CanvasRenderingContext2D;
  #image = new ImageData(1, 1);
  #side = 0; // dots in a row
  #pitch = 0; // device pixels from one dot to the next
  #places: Uint32Array = new Uint32Array(0); // cells, by dot
  #discs: Stamp[] = [];
  #ring: Stamp = new Int16Array(0);
  #colours: number[] = [];

  constructor(readonly canvas: HTMLCanvasElement) {
    this.#context = canvas.getContext('2d')!;
  }

  /** Makes room for so many in so many device pixels, in the colours that the page has now. */
  measure(dots: number, width: number): void {
    if (this.#image.width !== width) this.#image = new ImageData(width, width);
    if (this.canvas.width !== width) this.canvas.width = this.canvas.height = width;
    const side = Math.ceil(Math.sqrt(Math.max(1, dots)));
    const pitch = Math.max(1, Math.floor(width / side)); // whole pixels, so that all look alike
    if (side !== this.#side) this.#places = ripple(side);
    if (pitch !== this.#pitch) {
      const radius = usual * pitch;
      this.#discs = Array.from({ length: 2 * sizes + 1 }, (_, at) => stamp(pitch, radius * at / sizes));
      this.#ring = stamp(pitch, 0.45 * pitch, 0.45 * pitch - Math.max(1, 0.1 * pitch));
    }
    this.#side = side;
    this.#pitch = pitch;
    const style = getComputedStyle(this.canvas);
    this.#colours = variables.map((name) => pixel(style.getPropertyValue(name)));
  }

  /** Draws all in their looks and sizes, where 1 is the usual; those that were woken have faded so far, up to 1. */
  draw(looks: Uint8Array, scales: Float32Array, faded = 0): void {
    const { width } = this.#image;
    const pixels = new Uint32Array(this.#image.data.buffer);
    pixels.fill(0);
    const colours = this.#colours.slice();
    colours[Look.woken] = mix(colours[Look.woken]!, colours[Look.waiting]!, faded);
    for (let dot = 0; dot < looks.length; dot++) {
      const look = looks[dot]!;
      const colour = colours[look]!;
      const shape = look === Look.left ? this.#ring : this.#discs[Math.round(sizes * scales[dot]!)]!;
      const cell = this.#places[dot]!;
      const left = cell % this.#side * this.#pitch;
      const top = Math.floor(cell / this.#side) * this.#pitch;
      for (let at = 0; at < shape.length; at += 3) {
        const x = left + shape[at]!;
        const y = top + shape[at + 1]!;
        if (x < 0 || y < 0 || x >= width || y >= width) continue;
        const cover = shape[at + 2]!;
        const there = y * width + x;
        if (pixels[there]! >>> 24 < cover) pixels[there] = (cover << 24 | colour) >>> 0;
      }
    }
    this.#context.putImageData(this.#image, 0, 0);
  }

  /** The dot at a place of the canvas, which is from 0 to 1 either way, if there is one. */
  at(x: number, y: number): number | undefined {
    const column = Math.floor(x * this.#image.width / this.#pitch);
    const row = Math.floor(y * this.#image.width / this.#pitch);
    if (column < 0 || row < 0 || column >= this.#side || row >= this.#side) return undefined;
    const dot = this.#places.indexOf(row * this.#side + column);
    return dot < 0 ? undefined : dot;
  }
}

/** The cells of a square, the nearest to its middle first. */
function ripple(side: number): Uint32Array {
  const middle = (side - 1) / 2;
  const away = (cell: number): number => (cell % side - middle) ** 2 + (Math.floor(cell / side) - middle) ** 2;
  return Uint32Array.from({ length: side * side }, (_, cell) => cell).sort((a, b) => away(a) - away(b));
}

function stamp(pitch: number, radius: number, hollow = 0): Stamp {
  const middle = pitch > 2 ? pitch / 2 : 0.5; // of a pixel, where it can be no more than that
  const reach = Math.ceil(radius + 1);
  const pixels: number[] = [];
  for (let y = Math.floor(middle - reach); y < middle + reach; y++) {
    for (let x = Math.floor(middle - reach); x < middle + reach; x++) {
      const away = Math.hypot(x + 0.5 - middle, y + 0.5 - middle);
      const cover = covered(radius, away) - (hollow > 0 ? covered(hollow, away) : 0);
      if (cover > 0) pixels.push(x, y, Math.round(255 * cover));
    }
  }
  return Int16Array.from(pixels);
}

const covered = (radius: number, away: number): number => Math.min(1, Math.max(0, radius + 0.5 - away));

/** A colour like #24a or #2450b8 as it is in memory, without its alpha. */
function pixel(colour: string): number {
  const digits = colour.trim().slice(1);
  const pairs = digits.length === 3 ? Array.from(digits, (digit) => digit + digit) : digits.match(/../g)!;
  const [r, g, b] = pairs.map((pair) => parseInt(pair, 16));
  return b! << 16 | g! << 8 | r!;
}

function mix(from: number, to: number, part: number): number {
  let mixed = 0;
  for (const shift of [0, 8, 16]) {
    const [a, b] = [from >> shift & 255, to >> shift & 255];
    mixed |= Math.round(a + (b - a) * part) << shift;
  }
  return mixed;
}
