/** A price list that changes with every read, so the approved price must be pinned. */
export class PriceList {
  #centsPerLitre = 900;

  centsFor(litres: number): number {
    this.#centsPerLitre += 100;
    return litres * this.#centsPerLitre;
  }
}
