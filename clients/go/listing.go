package payments

import (
	"fmt"
	"iter"
)

// Listing is a list. It fetches nothing on its own.
type Listing[Page, Item any] struct {
	fetch  func(after string) (*Page, error)
	read   func(page *Page) (items []Item, hasMore bool)
	cursor func(item *Item) string
}

// Page fetches the first page.
func (l *Listing[Page, Item]) Page() (*Page, error) { return l.fetch("") }

// All returns all items, and fetches pages as they are needed. An error is the last pair.
func (l *Listing[Page, Item]) All() iter.Seq2[*Item, error] {
	return func(yield func(*Item, error) bool) {
		after := ""
		for {
			page, err := l.fetch(after)
			if err != nil {
				yield(nil, err)
				return
			}
			items, hasMore := l.read(page)
			for index := range items {
				if !yield(&items[index], nil) {
					return
				}
			}
			if !hasMore || len(items) == 0 {
				return
			}
			after = l.cursor(&items[len(items)-1])
		}
	}
}

// Collect returns at most `limit` items; all if it is negative.
func (l *Listing[Page, Item]) Collect(limit int) ([]*Item, error) {
	found := []*Item{}
	if limit == 0 {
		return found, nil
	}
	for item, err := range l.All() {
		if err != nil {
			return found, err
		}
		if found = append(found, item); len(found) == limit {
			break
		}
	}
	return found, nil
}

func cursorOf(value any) string {
	if text, isPointer := value.(*string); isPointer {
		if text == nil {
			return ""
		}
		return *text
	}
	return fmt.Sprint(value)
}
