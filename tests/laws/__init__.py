"""Laws: answers about random models beside brute forces that share no search with them."""
